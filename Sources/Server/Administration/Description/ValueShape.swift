import Directory
import Foundation
import Ground

/// What a type looks like in JSON. To find that out, the type decodes itself from a decoder that records what it is
/// asked for. So the description of the API is derived from the API's own types and cannot differ from them.
package indirect enum ValueShape: Equatable, Sendable {
    case string
    /// Bytes, as a text in base64.
    case bytes
    case integer
    case boolean
    case date
    /// One of these texts.
    case choice([String])
    case array(ValueShape)
    case dictionary(ValueShape)
    case object([Field])
    /// Any JSON.
    case anything

    package struct Field: Equatable, Sendable {
        package let name: String
        package let shape: ValueShape
        package let isRequired: Bool

        package init(name: String, shape: ValueShape, isRequired: Bool) {
            self.name = name
            self.shape = shape
            self.isRequired = isRequired
        }
    }

    package static func of<T: Decodable>(_ type: T.Type) -> ValueShape {
        if let known = type as? any KnownShape.Type { return known.shape }
        if let choice = type as? any (CaseIterable & RawRepresentable).Type, let texts = Self.texts(choice) {
            return .choice(texts)
        }
        let watch = Watch()
        do {
            _ = try type.init(from: WatchingDecoder(watch: watch))
        } catch {
            // A test describes all types of the API, so this cannot happen in a release.
            preconditionFailure("\(type) does not take what is made up for it: \(error)")
        }
        return watch.single ?? .object(watch.fields)
    }

    private static func texts<C: CaseIterable & RawRepresentable>(_: C.Type) -> [String]? {
        let texts = C.allCases.compactMap { $0.rawValue as? String }
        return texts.isEmpty ? nil : texts
    }

    /// The inputs of an operation, in the order in which it declares them.
    package static func inputs<O: Operation>(of operation: O.Type) -> [Field] {
        guard case .object(let fields) = of(operation) else { return [] }
        return fields
    }
}

private protocol KnownShape { static var shape: ValueShape { get } }
extension String: KnownShape { static var shape: ValueShape { .string } }
extension Data: KnownShape { static var shape: ValueShape { .bytes } }
extension Int: KnownShape { static var shape: ValueShape { .integer } }
extension Int64: KnownShape { static var shape: ValueShape { .integer } }
extension Bool: KnownShape { static var shape: ValueShape { .boolean } }
extension Date: KnownShape { static var shape: ValueShape { .date } }
extension CalendarDay: KnownShape { static var shape: ValueShape { .string } }
extension JSONValue: KnownShape { static var shape: ValueShape { .anything } }
extension DeviceFacts.Value: KnownShape { static var shape: ValueShape { .anything } }
extension Array: KnownShape where Element: Decodable {
    static var shape: ValueShape { .array(.of(Element.self)) }
}
extension Dictionary: KnownShape where Key == String, Value: Decodable {
    static var shape: ValueShape { .dictionary(.of(Value.self)) }
}

private final class Watch {
    var single: ValueShape?
    var fields: [ValueShape.Field] = []

    func note<T: Decodable>(_ name: String, _ type: T.Type, isRequired: Bool) {
        fields.append(.init(name: name, shape: .of(type), isRequired: isRequired))
    }
}

private struct WatchingDecoder: Decoder {
    let watch: Watch
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keyed<Key>(watch: watch))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw MadeUp() }
    func singleValueContainer() -> any SingleValueDecodingContainer { Single(watch: watch) }
}

/// Thrown for a type for which no value can be made up.
private struct MadeUp: Error {}

/// Makes up some value of a type, so that the type that decodes it can go on.
private func madeUp<T: Decodable>(_ type: T.Type) throws -> T {
    let value: Any? =
        switch type {
        case is String.Type: ""
        case is Data.Type: Data()
        case is Int.Type: 0
        case is Int64.Type: Int64(0)
        case is Bool.Type: false
        case is Date.Type: Date(timeIntervalSince1970: 0)
        case is CalendarDay.Type: CalendarDay("1970-01-01")
        case let list as any EmptyValue.Type: list.empty
        case let choice as any CaseIterable.Type: first(choice)
        default: nil
        }
    if let value = value as? T { return value }
    return try T(from: WatchingDecoder(watch: Watch()))
}

private func first<C: CaseIterable>(_: C.Type) -> Any? { C.allCases.first }

private protocol EmptyValue { static var empty: Any { get } }
extension Array: EmptyValue { static var empty: Any { [Element]() } }
extension Dictionary: EmptyValue { static var empty: Any { [Key: Value]() } }

private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let watch: Watch
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        watch.note(key.stringValue, type, isRequired: true)
        return try madeUp(type)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) -> T? {
        watch.note(key.stringValue, type, isRequired: false)
        return nil
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String { try watched(type, key) }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try watched(type, key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try watched(type, key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try watched(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) -> String? { absent(type, key) }
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) -> Bool? { absent(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) -> Int? { absent(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) -> Int64? { absent(type, key) }

    private func watched<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T {
        watch.note(key.stringValue, type, isRequired: true)
        return try madeUp(type)
    }

    private func absent<T: Decodable>(_ type: T.Type, _ key: Key) -> T? {
        watch.note(key.stringValue, type, isRequired: false)
        return nil
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw MadeUp() }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw MadeUp() }
    func superDecoder() throws -> any Decoder { throw MadeUp() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw MadeUp() }
}

private struct Single: SingleValueDecodingContainer {
    let watch: Watch
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        watch.single = .of(type)
        return try madeUp(type)
    }

    func decode(_ type: String.Type) throws -> String {
        watch.single = .string
        return ""
    }
}
