import Ground

/// A JSON object of claims, written member by member straight into bytes. What is nil is left out.
struct ClaimsObject {
    private var members: [UInt8] = []

    init() { members.reserveCapacity(512) }

    /// The complete object.
    var json: [UInt8] {
        guard !members.isEmpty else { return Array("{}".utf8) }
        return members + [UInt8(ascii: "}")]
    }

    mutating func put(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        begin(name)
        members.append(json: text)
    }

    mutating func put(_ name: StaticString, _ number: Int?) {
        guard let number else { return }
        begin(name)
        members.append(contentsOf: String(number).utf8)
    }

    mutating func put(_ name: StaticString, _ flag: Bool?) {
        guard let flag else { return }
        begin(name)
        members.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    mutating func put(_ name: StaticString, _ texts: [String]?) {
        guard let texts else { return }
        begin(name)
        members.append(UInt8(ascii: "["))
        for (index, text) in texts.enumerated() {
            if index > 0 { members.append(UInt8(ascii: ",")) }
            members.append(json: text)
        }
        members.append(UInt8(ascii: "]"))
    }

    /// - Parameter name: must not need escaping.
    private mutating func begin(_ name: StaticString) {
        members.append(members.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
        members.append(UInt8(ascii: "\""))
        members.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        members.append(contentsOf: "\":".utf8)
    }
}
