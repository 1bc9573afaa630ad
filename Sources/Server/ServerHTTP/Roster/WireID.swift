import Directory
import Ground

/// The ids of locations and classes, as apps see them.
enum WireID {
    static func location(_ id: LocationID) -> String { "LO:\(id.rawValue)" }
    static func `class`(_ id: ClassID) -> String { "CL-\(id.rawValue)" }

    /// Accepts the id with or without its prefix, because some descriptions of the service show only the number.
    static func parseLocation(_ text: String) -> LocationID? {
        number(text, after: "LO:").map(LocationID.init(rawValue:))
    }
    static func parseClass(_ text: String) -> ClassID? {
        text.hasPrefix("CL-") ? number(text, after: "CL-").map(ClassID.init(rawValue:)) : nil
    }

    private static func number(_ text: String, after prefix: String) -> Int64? {
        let digits = text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else {
            return nil
        }
        return Int64(digits)
    }
}
