extension String {
    /// The text with controls, line breaks and invisible characters written as escapes such as `\u{1b}`, for readers
    /// who need to know what was there.
    /// - Parameter keepsLines: whether line feeds stay as they are.
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

    /// The text as one line for a log or a terminal: controls and line breaks become spaces, invisible and private-use
    /// characters become U+FFFD.
    /// - Parameter scalarsMax: the maximum length in Unicode scalars; a `Character` has no maximum size.
    package func inOneLine(scalarsMax: Int = .max) -> String {
        if utf8.count <= scalarsMax, utf8.allSatisfy({ (0x20...0x7e).contains($0) }) { return self }
        return String(
            UnicodeScalarView(
                unicodeScalars.prefix(scalarsMax).map { scalar in
                    if scalar.isControl { return " " }
                    return scalar.isInvisible || scalar.properties.generalCategory == .privateUse ? "\u{fffd}" : scalar
                }))
    }

    /// The text for the value of a header: controls and line breaks become spaces. Other characters stay.
    package var withoutControls: String {
        String(UnicodeScalarView(unicodeScalars.map { $0.isControl ? " " : $0 }))
    }

    /// The text without embeddings, overrides and isolates, which could make one name look like another. The marks
    /// U+200E and U+200F stay.
    package var withoutDirectionControls: String {
        String(UnicodeScalarView(unicodeScalars.filter { !$0.isDirectionControl }))
    }
}
