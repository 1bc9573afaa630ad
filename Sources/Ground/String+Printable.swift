extension String {
    /// With `\u{1b}` in place of what steers a terminal, begins a line, or turns the direction of one around: for who has to
    /// find out what was there.
    /// - Parameter keepsLines: whether line breaks stay as they are.
    package func printable(keepsLines: Bool = false) -> String {
        if utf8.allSatisfy({ (0x20...0x7e).contains($0) }) { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if (scalar.isControl || scalar.isInvisible) && !(keepsLines && scalar == "\n") {
                result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// As a line of a log or of a terminal: spaces in place of what steers one or ends a line, U+FFFD in place of what is not
    /// seen or not the same for everybody.
    /// - Parameter scalarsMax: how many are kept. A single character may have any number of accents.
    package func inOneLine(scalarsMax: Int = .max) -> String {
        if utf8.count <= scalarsMax, utf8.allSatisfy({ (0x20...0x7e).contains($0) }) { return self }
        return String(
            UnicodeScalarView(
                unicodeScalars.prefix(scalarsMax).map { scalar in
                    if scalar.isControl { return " " }
                    return scalar.isInvisible || scalar.properties.generalCategory == .privateUse ? "\u{fffd}" : scalar
                }))
    }

    /// As a value of a header: spaces in place of what ends a line or is a control; what is in it besides, its reader shows.
    package var withoutControls: String {
        String(UnicodeScalarView(unicodeScalars.map { $0.isControl ? " " : $0 }))
    }

    /// Without what could make a name read as another: embeddings, overrides and isolates. Marks (U+200E, U+200F) stay.
    package var withoutDirectionControls: String {
        String(UnicodeScalarView(unicodeScalars.filter { !$0.isDirectionControl }))
    }
}
