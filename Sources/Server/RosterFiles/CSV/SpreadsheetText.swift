/// What spreadsheets do with values.
package enum SpreadsheetText {
    /// A spreadsheet would carry out what begins like this, in quotes or not. Some take the wide forms of East Asian
    /// keyboards for the others, and drop what separates cells before they look.
    private static let formulaBeginnings: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
    ]

    static func beginsFormula(_ text: some StringProtocol) -> Bool {
        text.unicodeScalars.first.map(formulaBeginnings.contains) ?? false
    }

    /// The value with an apostrophe before it, which makes it a text, if a spreadsheet would take it for a formula.
    package static func literal(_ text: String) -> String { beginsFormula(text) ? "'" + text : text }
}
