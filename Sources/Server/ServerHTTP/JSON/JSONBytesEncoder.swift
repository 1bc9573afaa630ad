import Foundation
import Ground

/// Encodes values as `JSONEncoder.administration` does, to the same bytes: keys in order, times in ISO 8601, slashes as
/// they are. It takes a fraction of the time, because it writes each value at once and makes no tree of them before.
///
/// A value therefore has to encode what it has in one go: once it has begun another member, it cannot add to a nested
/// container of an earlier one. Everything that the compiler derives does so.
enum JSONBytesEncoder {
    /// - Throws: `EncodingError` for a number that is not finite, and for a value that encodes nothing, adds to a
    ///   container that is complete, or asks for the encoder of a superclass.
    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let output = SharedOutput()
        try output.write(value)
        if let misuse = output.text.misuse { throw EncodingError.invalidValue(value, misuse) }
        return output.text.bytes
    }
}

/// The text that all places and containers of one value write to. None of them holds on to it while a value encodes
/// itself, so each call reaches for it once.
private final class SharedOutput {
    var text = JSONText()

    func write<T: Encodable>(_ value: T) throws {
        if text.write(plain: value) { return }
        let (before, depth) = (text.bytes.count, text.depth)
        try value.encode(to: Slot(output: self, depth: depth))
        text.close(to: depth)
        guard text.bytes.count == before else { return }
        guard depth > 0 else { throw EncodingError.invalidValue(value, "It encodes nothing.") }
        text.bytes.append(contentsOf: "{}".utf8)
    }
}

/// The bytes that were written, and the arrays and objects in them that are not complete yet.
private struct JSONText {
    private struct Container {
        let isObject: Bool
        /// The place of its bracket.
        let start: Int
        /// The number of its first member among all ``members``.
        let firstMember: Int
        var count = 0
    }

    /// A key with its value.
    private struct Member {
        let start: Int
        /// The place of the colon.
        let keyEnd: Int
        /// Zero while the value is not complete.
        var end = 0
    }

    var bytes: [UInt8] = []
    /// What a value did that cannot be written in one go; nil if nothing is wrong.
    private(set) var misuse: String?
    /// From the outermost to the innermost one.
    private var containers: [Container] = []
    /// The members of all objects that are not complete.
    private var members: [Member] = []
    /// For objects whose members have to be put in order.
    private var sorted: [UInt8] = []

    private static let bothKinds = "It encodes itself as an array and as an object."

    init() { bytes.reserveCapacity(1_024) }

    /// How many containers are not complete.
    var depth: Int { containers.count }

    mutating func fail(_ reason: String) { misuse = reason }

    // MARK: Values

    /// Writes a value of a type that records have most of, or that encodes itself in another way. No cast can fail, because
    /// the type is looked at before; one that asks again, with `as?`, takes longer than writing the value.
    /// - Returns: false for a value of any other type.
    mutating func write<T>(plain value: T) -> Bool {
        if T.self == String.self {
            bytes.append(json: value as! String)
        } else if T.self == Int64.self {
            write(integer: value as! Int64)
        } else if T.self == Int.self {
            write(integer: value as! Int)
        } else if T.self == Bool.self {
            write(value as! Bool)
        } else if T.self == Date.self {
            bytes.append(json: value as! Date)
        } else if T.self == Data.self {
            bytes.append(json: (value as! Data).base64EncodedString())
        } else if T.self == URL.self {
            bytes.append(json: (value as! URL).absoluteString)
        } else {
            return false
        }
        return true
    }

    mutating func write(_ flag: Bool) { bytes.append(contentsOf: (flag ? "true" : "false").utf8) }

    mutating func write(integer: some BinaryInteger) { bytes.append(contentsOf: String(integer).utf8) }

    /// - Throws: `EncodingError` unless the number is finite.
    mutating func write<Number: BinaryFloatingPoint & LosslessStringConvertible>(number: Number) throws {
        guard number.isFinite else { throw EncodingError.invalidValue(number, "JSON has no number \(number).") }
        let text = String(number)
        bytes.append(contentsOf: (text.hasSuffix(".0") ? text.dropLast(2) : text[...]).utf8)
    }

    mutating func writeNull() { bytes.append(contentsOf: "null".utf8) }

    // MARK: Arrays and objects

    /// Begins an array or an object, or goes on with it if the value asks for its container a second time.
    /// - Parameter depth: how many containers surround it.
    mutating func open(object isObject: Bool, at depth: Int) {
        if containers.count > depth {
            close(to: depth + 1)
            if containers[depth].isObject != isObject { fail(Self.bothKinds) }
            return
        }
        containers.append(Container(isObject: isObject, start: bytes.count, firstMember: members.count))
        bytes.append(UInt8(ascii: isObject ? "{" : "["))
    }

    /// Begins a value in a container.
    /// - Parameters:
    ///   - depth: how many containers there are with it and those around it.
    ///   - key: nil in an array.
    mutating func next(at depth: Int, key: String?) {
        close(to: depth)
        guard containers.count == depth else { return fail("It adds to a container that is complete.") }
        guard containers[depth - 1].isObject == (key != nil) else { return fail(Self.bothKinds) }
        if containers[depth - 1].count > 0 {
            if key != nil { members[members.count - 1].end = bytes.count }
            bytes.append(UInt8(ascii: ","))
        }
        containers[depth - 1].count += 1
        guard let key else { return }
        let start = bytes.count
        bytes.append(json: key)
        members.append(Member(start: start, keyEnd: bytes.count))
        bytes.append(UInt8(ascii: ":"))
    }

    func count(at depth: Int) -> Int { containers.count >= depth ? containers[depth - 1].count : 0 }

    /// Completes the innermost containers.
    /// - Parameter depth: how many stay open.
    mutating func close(to depth: Int) {
        while containers.count > depth {
            let container = containers.removeLast()
            if container.isObject, container.count > 1 { sortMembers(of: container) }
            bytes.append(UInt8(ascii: container.isObject ? "}" : "]"))
            members.removeLast(members.count - container.firstMember)
        }
    }

    private mutating func sortMembers(of container: Container) {
        members[members.count - 1].end = bytes.count
        var isSorted = true
        // Types encode few members, and always in the same order; sorting by insertion keeps that of equal keys.
        for number in container.firstMember + 1..<members.count {
            var place = number
            while place > container.firstMember, compare(place - 1, place) > 0 {
                members.swapAt(place - 1, place)
                place -= 1
            }
            if place < number || compare(number - 1, number) == 0 { isSorted = false }
        }
        if isSorted { return }
        sorted.removeAll(keepingCapacity: true)
        for number in container.firstMember..<members.count {
            // The last one of two members with one key counts.
            if number + 1 < members.count, compare(number, number + 1) == 0 { continue }
            if !sorted.isEmpty { sorted.append(UInt8(ascii: ",")) }
            sorted.append(contentsOf: bytes[members[number].start..<members[number].end])
        }
        bytes.removeLast(bytes.count - container.start - 1)
        bytes.append(contentsOf: sorted)
    }

    /// Compares the keys of two members by their bytes, as strcmp(3) does.
    private func compare(_ first: Int, _ second: Int) -> Int {
        let (one, other) = (members[first], members[second])
        let (length, otherLength) = (one.keyEnd - one.start - 2, other.keyEnd - other.start - 2)
        let order = bytes.withUnsafeBytes {
            memcmp($0.baseAddress! + one.start + 1, $0.baseAddress! + other.start + 1, min(length, otherLength))
        }
        return order == 0 ? length - otherLength : Int(order)
    }
}

/// A place for one value.
private struct Slot: Encoder {
    let output: SharedOutput
    /// How many containers surround it.
    let depth: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        output.text.open(object: true, at: depth)
        return KeyedEncodingContainer(ObjectContainer<Key>(output: output, depth: depth + 1))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        output.text.open(object: false, at: depth)
        return ArrayContainer(output: output, depth: depth + 1)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { ValueContainer(output: output) }
}

private struct ValueContainer: SingleValueEncodingContainer {
    let output: SharedOutput

    var codingPath: [any CodingKey] { [] }

    func encodeNil() { output.text.writeNull() }
    func encode(_ value: Bool) { output.text.write(value) }
    func encode(_ value: String) { output.text.bytes.append(json: value) }
    func encode(_ value: Double) throws { try output.text.write(number: value) }
    func encode(_ value: Float) throws { try output.text.write(number: value) }
    func encode<Integer: BinaryInteger & Encodable>(_ value: Integer) { output.text.write(integer: value) }
    func encode<T: Encodable>(_ value: T) throws { try output.write(value) }
}

private struct ObjectContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let output: SharedOutput
    let depth: Int

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) {
        output.text.next(at: depth, key: key.stringValue)
        output.text.writeNull()
    }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        output.text.next(at: depth, key: key.stringValue)
        try output.write(value)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy keyType: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { slot(key.stringValue).container(keyedBy: keyType) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        slot(key.stringValue).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        output.text.fail("It asks for the encoder of its superclass.")
        return slot("super")
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        output.text.fail("It asks for the encoder of its superclass.")
        return slot(key.stringValue)
    }

    private func slot(_ key: String) -> Slot {
        output.text.next(at: depth, key: key)
        return Slot(output: output, depth: depth)
    }
}

private struct ArrayContainer: UnkeyedEncodingContainer {
    let output: SharedOutput
    let depth: Int

    var codingPath: [any CodingKey] { [] }
    var count: Int { output.text.count(at: depth) }

    func encodeNil() {
        output.text.next(at: depth, key: nil)
        output.text.writeNull()
    }

    func encode<T: Encodable>(_ value: T) throws {
        output.text.next(at: depth, key: nil)
        try output.write(value)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
        slot().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { slot().unkeyedContainer() }

    func superEncoder() -> any Encoder {
        output.text.fail("It asks for the encoder of its superclass.")
        return slot()
    }

    private func slot() -> Slot {
        output.text.next(at: depth, key: nil)
        return Slot(output: output, depth: depth)
    }
}

extension EncodingError {
    fileprivate static func invalidValue(_ value: Any, _ reason: String) -> EncodingError {
        .invalidValue(value, Context(codingPath: [], debugDescription: reason))
    }
}
