#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value of a property list, as in profiles.
public enum PropertyListValue: Equatable, Sendable {
    case string(String)
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case date(Date)
    case data(Data)
    case array([PropertyListValue])
    case dictionary([String: PropertyListValue])

    /// The format's name for the type of the value, for messages.
    public var typeName: String {
        switch self {
        case .string: "string"
        case .boolean: "boolean"
        case .integer: "integer"
        case .real: "real"
        case .date: "date"
        case .data: "data"
        case .array: "array"
        case .dictionary: "dictionary"
        }
    }
}

extension PropertyListValue {
    public var text: String? { if case .string(let text) = self { text } else { nil } }
    public var flag: Bool? { if case .boolean(let flag) = self { flag } else { nil } }
    public var number: Int64? { if case .integer(let number) = self { number } else { nil } }
    public var elements: [PropertyListValue]? { if case .array(let values) = self { values } else { nil } }
    public var entries: [String: PropertyListValue]? {
        if case .dictionary(let entries) = self { entries } else { nil }
    }
}

/// Encoded as JSON, with an object of one key for the two types that JSON does not have: `{"$data": …}` in Base64 and
/// `{"$date": …}` in seconds since 1970. Reals keep their decimal point.
extension PropertyListValue: Codable {
    private enum Tag: String, CodingKey {
        case data = "$data"
        case date = "$date"
        case real = "$real"
    }

    public init(from decoder: any Decoder) throws {
        if let tagged = try? decoder.container(keyedBy: Tag.self), tagged.allKeys.count == 1 {
            if let data = try tagged.decodeIfPresent(Data.self, forKey: .data) {
                self = .data(data)
                return
            }
            if let seconds = try tagged.decodeIfPresent(Double.self, forKey: .date) {
                self = .date(Date(timeIntervalSince1970: seconds))
                return
            }
            if let number = try tagged.decodeIfPresent(Double.self, forKey: .real) {
                self = .real(number)
                return
            }
        }
        let value = try decoder.singleValueContainer()
        if let flag = try? value.decode(Bool.self) {
            self = .boolean(flag)
        } else if let number = try? value.decode(Int64.self) {
            self = .integer(number)
        } else if let text = try? value.decode(String.self) {
            self = .string(text)
        } else if let values = try? value.decode([PropertyListValue].self) {
            self = .array(values)
        } else {
            self = .dictionary(try value.decode([String: PropertyListValue].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .string(let text): try value.encode(text)
        case .boolean(let flag): try value.encode(flag)
        case .integer(let number): try value.encode(number)
        case .array(let values): try value.encode(values)
        case .dictionary(let entries): try value.encode(entries)
        case .real(let number): try tagged(.real, number, to: encoder)
        case .date(let date): try tagged(.date, date.timeIntervalSince1970, to: encoder)
        case .data(let data): try tagged(.data, data, to: encoder)
        }
    }

    private func tagged(_ tag: Tag, _ value: some Encodable, to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Tag.self)
        try container.encode(value, forKey: tag)
    }
}
