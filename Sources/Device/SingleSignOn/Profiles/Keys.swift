import SingleSignOnWire

/// Reads the entries of a dictionary in a profile one by one, and reports what is missing or has another type.
struct Keys {
    let entries: [String: PropertyListValue]
    let path: String
    private(set) var findings: [Finding] = []

    /// - Parameter path: the key path of the dictionary; empty for the root.
    init(_ entries: [String: PropertyListValue], at path: String) {
        self.entries = entries
        self.path = path
    }

    func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    mutating func report(_ severity: Finding.Severity, _ key: String, _ problem: String, _ remedy: String? = nil) {
        findings.append(Finding(severity, at: path(of: key), "\(Self.subject(key)) \(problem)", remedy: remedy))
    }

    private static func subject(_ key: String) -> String {
        String(key.prefix { $0 != "[" })
    }

    /// - Returns: nil if it is absent, empty, or of another type.
    mutating func string(_ key: String, isRequired: Bool = false) -> String? {
        guard
            let text: String = value(
                key, isRequired, "string", { if case .string(let text) = $0 { text } else { nil } })
        else { return nil }
        guard !text.isEmpty else {
            report(isRequired ? .error : .warning, key, "is empty.", isRequired ? "Give it a value." : "Leave it out.")
            return nil
        }
        return text
    }

    /// A string that identifies a program, and therefore has no spaces.
    mutating func identifier(_ key: String, isRequired: Bool = false) -> String? {
        let text = string(key, isRequired: isRequired)
        if let text, text.contains(where: \.isWhitespace) {
            report(.error, key, "is “\(text)”, which has a space.", "Write it without.")
        }
        return text
    }

    mutating func boolean(_ key: String) -> Bool? {
        value(key, false, "boolean") { if case .boolean(let flag) = $0 { flag } else { nil } }
    }

    mutating func array(_ key: String, isRequired: Bool = false) -> [PropertyListValue]? {
        value(key, isRequired, "array") { if case .array(let values) = $0 { values } else { nil } }
    }

    mutating func dictionary(_ key: String) -> [String: PropertyListValue]? {
        value(key, false, "dictionary") { if case .dictionary(let entries) = $0 { entries } else { nil } }
    }

    /// The strings of an array with their indexes. Values of other types are reported and left out.
    mutating func strings(_ key: String, isRequired: Bool = false) -> [(index: Int, text: String)]? {
        array(key, isRequired: isRequired)?.enumerated().compactMap { index, value in
            guard case .string(let text) = value else {
                report(.error, "\(key)[\(index)]", "holds \(value.typeName.withArticle).", "Write a <string>.")
                return nil
            }
            return (index, text)
        }
    }

    private mutating func value<Value>(
        _ key: String, _ isRequired: Bool, _ type: String, _ convert: (PropertyListValue) -> Value?
    ) -> Value? {
        guard let found = entries[key] else {
            if isRequired { report(.error, key, "is missing.", "Add it, \(type.withArticle).") }
            return nil
        }
        guard let converted = convert(found) else {
            report(.error, key, "is \(found.typeName.withArticle).", "Write \(type.withArticle).")
            return nil
        }
        return converted
    }
}
