import Ground

/// One thing that is wrong with the files of an import, and what to do about it.
package struct Defect: Codable, Equatable, Sendable {
    package enum Severity: String, Codable, CaseIterable, Sendable {
        /// The import cannot be applied.
        case error
        /// Worth knowing; the import can go on.
        case warning
    }

    package let severity: Severity
    package let code: Code
    /// The CSV file, or the archive or folder when the defect lies outside the six files.
    package let file: String
    /// 1-based line on which the row begins (for an unbalanced quote: on which the quote opens); nil for a whole file.
    package let line: Int?
    package let column: String?
    /// The value as found: printable, at most 80 characters.
    package let value: String?
    /// One sentence that says what is wrong.
    package let message: String
    /// One sentence that says what to do.
    package let remedy: String

    package init(
        _ code: Code, in file: String, line: Int? = nil, column: String? = nil, value: String? = nil,
        _ message: String, remedy: String
    ) {
        self.severity = code.severity
        self.code = code
        self.file = file
        self.line = line
        self.column = column
        self.value = value.map(Self.printable)
        self.message = message
        self.remedy = remedy
    }
}

extension Defect: CustomStringConvertible {
    /// `students.csv:17 person_id "S 1": An identifier cannot hold a space. Remedy: …`
    package var description: String {
        var place = file
        if let line { place += ":\(line)" }
        if let column { place += " \(column)" }
        if let value { place += " \"\(value)\"" }
        return "\(place): \(message) Remedy: \(remedy)"
    }
}

extension Defect {
    static let valueCharactersMax = 80

    /// Shortens `value`, and replaces characters that a terminal would act on (control and bidirectional ones) by `·`.
    static func printable(_ value: String) -> String {
        var shown = ""
        var count = 0
        for character in value {
            if count == valueCharactersMax {
                return shown.dropLast() + "…"
            }
            // A letter with hundreds of accents counts as one character: without this limit the result could have any
            // length.
            let isShown = character.unicodeScalars.count <= 8 && character.unicodeScalars.allSatisfy(\.isShown)
            shown.append(isShown ? character : "·")
            count += 1
        }
        return shown
    }
}

extension Unicode.Scalar {
    fileprivate var isShown: Bool {
        // The joiners too: where nobody sees them, nobody finds them.
        !isControl && !isUnassigned && properties.generalCategory != .format
    }
}
