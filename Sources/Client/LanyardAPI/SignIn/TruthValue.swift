/// `true` and `false`, or the same as text: services of this family have sent both for the same claim.
package struct TruthValue: Codable, Equatable, Sendable {
    package let value: Bool

    package init(_ value: Bool) {
        self.value = value
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            self.value = value
            return
        }
        switch try container.decode(String.self) {
        case "true": value = true
        case "false": value = false
        default:
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "neither \"true\" nor \"false\"")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
