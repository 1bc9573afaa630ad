import Foundation
import Ground

/// What a device reports about itself, such as the version of its system. It is unproven: administrators read it, and
/// nothing is decided by it.
package struct DeviceFacts: Equatable, Sendable {
    package enum Value: Codable, Equatable, Sendable, CustomStringConvertible {
        case truth(Bool)
        case number(Double)
        case text(String)

        package init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let truth = try? container.decode(Bool.self) {
                self = .truth(truth)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .truth(let truth): try container.encode(truth)
            case .number(let number): try container.encode(number)
            case .text(let text): try container.encode(text)
            }
        }

        package var description: String {
            switch self {
            case .truth(let truth): truth ? "yes" : "no"
            case .number(let number): number.formatted(.number.grouping(.never).locale(Locale(identifier: "en")))
            case .text(let text): text
            }
        }
    }

    package let values: [String: Value]

    static let countMax = 32
    static let nameBytesMax = 64
    static let textBytesMax = 256

    package static let none = DeviceFacts(unchecked: [:])

    private init(unchecked values: [String: Value]) { self.values = values }

    /// - Throws: ``DeviceRefusal/invalidRequest(_:)``
    package init(_ values: [String: Value]) throws {
        guard values.count <= Self.countMax else {
            throw DeviceRefusal.invalidRequest("facts has more than \(Self.countMax) members")
        }
        for (name, value) in values {
            guard (1...Self.nameBytesMax).contains(name.utf8.count),
                name.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
            else {
                throw DeviceRefusal.invalidRequest(
                    "a name in facts is not 1 to \(Self.nameBytesMax) letters, digits and signs of ASCII")
            }
            if case .text(let text) = value, text.utf8.count > Self.textBytesMax || text.hasNUL {
                throw DeviceRefusal.invalidRequest(
                    "facts.\(name) is longer than \(Self.textBytesMax) bytes, or holds a NUL")
            }
        }
        self.values = values
    }

    init(stored text: String) throws {
        values = try JSONDecoder().decode([String: Value].self, from: Data(text.utf8))
    }

    func stored() throws -> String {
        String(decoding: try JSONEncoder.stable.encode(values), as: UTF8.self)
    }
}
