extension String {
    /// With `\u{1b}` in place of what steers a terminal, begins a line, or turns the direction of one around.
    /// - Parameter keepsLines: whether line breaks stay as they are.
    package func printable(keepsLines: Bool = false) -> String {
        if utf8.allSatisfy({ (0x20...0x7e).contains($0) }) { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control where keepsLines && scalar == "\n": result.append(scalar)
            // Joiners belong to the spelling of names in several scripts.
            case .format where scalar == "\u{200c}" || scalar == "\u{200d}": result.append(scalar)
            case .control, .format, .lineSeparator, .paragraphSeparator:
                result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
