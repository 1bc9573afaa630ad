/// Checks single values and reports what is wrong with them.
struct CellInspector {
    let file: RosterFile
    let defects: DefectLog

    /// Checks the form of a value: quotes, spaces, encoding.
    /// - Returns: whether no error was reported.
    func checkForm(of cell: CSVCell, line: Int, column: @autoclosure () -> String?) -> Bool {
        let errorsBefore = defects.errorCount
        func report(_ code: Defect.Code, _ message: @autoclosure () -> String, remedy: String) {
            defects.report(
                code, in: file.name, line: line, column: column(), value: shown(cell), message(), remedy: remedy)
        }
        if cell.traits.contains(.nonASCII) {
            if !UTF8Validation.isWellFormed(cell.bytes) {
                report(
                    .notUTF8, "The value is not UTF-8; it seems to be \(TextEncoding.narrowEncoding(of: cell.bytes)).",
                    remedy: "Save the file as UTF-8; in a spreadsheet choose “CSV UTF-8”.")
            } else if !cell.traits.contains(.quoted), CurlyQuotes.begin(cell.bytes) {
                report(
                    .curlyQuotes, "Curly quotes stand around the value.",
                    remedy: "Use straight double quotes, and switch off “smart quotes” where the file is edited.")
            }
        }
        if cell.traits.contains(.controlCharacter) {
            report(
                .controlCharacter, "The value holds a control character, such as a NUL byte.",
                remedy: "Remove the character at its source.")
        }
        if cell.traits.contains(.strayQuote) {
            report(
                .strayQuote, "A quote stands inside the value without an escape.",
                remedy: "Put the whole value in quotes, and a backslash before each quote inside it.")
        }
        if cell.traits.contains(.leadingSpace) {
            report(
                .spaceAfterSeparator, "A space or tab stands before the value.",
                remedy: "Remove it, or put it inside the quotes if it belongs to the value.")
        }
        if cell.traits.contains(.trailingSpace) {
            report(
                .spaceBeforeSeparator, "A space or tab stands after the value; it is ignored.",
                remedy: "Remove it, or put it inside quotes if it belongs to the value.")
        }
        return defects.errorCount == errorsBefore
    }

    /// Checks a value against the rule of its column.
    /// - Returns: whether no error was reported.
    func checkValue(of cell: CSVCell, in field: RosterHeader.Field, line: Int) -> Bool {
        guard cell.bytes.contains(where: { !$0.isPadding }) else {
            guard field.isRequired else { return true }
            defects.report(
                .valueMissing, in: file.name, line: line, column: field.name, "The value is missing.",
                remedy: "Fill it in: every row needs it.")
            return false
        }
        let rule = field.column.rule
        if cell.count > rule.bytesMax {
            defects.report(
                .valueTooLong, in: file.name, line: line, column: field.name, value: shown(cell),
                "The value has \(cell.count) bytes; at most \(rule.bytesMax) are allowed.", remedy: "Shorten it.")
            return false
        }
        guard let violation = rule.violation(by: cell.bytes) else { return true }
        let explanation = Self.explain(violation)
        defects.report(
            explanation.code, in: file.name, line: line, column: field.name, value: shown(cell),
            explanation.message, remedy: explanation.remedy)
        return explanation.code.severity != .error
    }

    func shown(_ cell: CSVCell) -> String {
        // Enough bytes for the characters that are shown, even if each consists of several scalars.
        let beginning = cell.bytes.prefix(16 * Defect.valueCharactersMax)
        return UTF8Validation.isWellFormed(cell.bytes)
            ? String(decoding: beginning, as: UTF8.self) : TextEncoding.latin1(beginning)
    }

    private static func explain(
        _ violation: ValueRule.Violation
    ) -> (code: Defect.Code, message: String, remedy: String) {
        switch violation {
        case .invalidIdentifier:
            (
                .invalidIdentifier,
                "An identifier may hold letters, digits, spaces inside it, and - _ . @ / only.",
                "Change it in the source system, or map it to an allowed one in every file that names it."
            )
        case .unusualIdentifier:
            (
                .unusualIdentifier,
                "The identifier holds more than letters without accents, digits and hyphens; other systems may refuse it.",
                "Nothing need be done for Lanyard; use letters, digits and hyphens to be safe elsewhere."
            )
        case .decimalIdentifier:
            (
                .decimalIdentifier,
                "The identifier looks like a whole number to which a program has added “.0”.",
                """
                Export the column as text. Without “.0” in a later file these would be new people, classes or places, and \
                the present ones would leave.
                """
            )
        case .invisibleCharacter:
            (
                .invisibleCharacter,
                "The value holds a character that cannot be seen, or one that turns the direction of the text.",
                "Remove it at its source; typing the value anew does."
            )
        case .formula:
            (
                .formula, "The value begins like a formula of a spreadsheet.",
                "Nothing need be done if it is meant so; open exports in a spreadsheet with care."
            )
        case .invalidEmailAddress:
            (
                .invalidEmailAddress, "This is not an email address.",
                "Write it as name@domain, or leave it blank."
            )
        case .controlCharacter:
            (
                .controlCharacter, "The value holds a line break, a tab or another control character.",
                "Remove it at its source."
            )
        case .valueNotAllowed:
            (
                .valueNotAllowed, "The password policy is unknown.",
                "Write 4 or 6 (a number of so many digits) or 8 (letters and digits), or leave it blank."
            )
        }
    }
}
