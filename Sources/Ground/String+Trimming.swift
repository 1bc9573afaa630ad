extension StringProtocol {
    /// The text without spaces and tabs at its start and end. All Unicode spaces count, but no line breaks.
    package var trimmingSpaces: String {
        trimming { $0 == "\t" || $0.properties.generalCategory == .spaceSeparator }
    }

    /// The text without spaces, tabs and line breaks at its start and end.
    package var trimmingWhitespace: String { trimming(\.properties.isWhitespace) }

    private func trimming(_ isOutside: (Unicode.Scalar) -> Bool) -> String {
        guard let first = unicodeScalars.firstIndex(where: { !isOutside($0) }),
            let last = unicodeScalars.lastIndex(where: { !isOutside($0) })
        else { return "" }
        return String(self[first...last])
    }
}

extension String {
    /// The longest beginning of the text, in whole characters, that has so many bytes as UTF-8.
    package func shortened(toBytes bytesMax: Int) -> String {
        var text = Substring(self)
        while text.utf8.count > bytesMax { text = text.dropLast() }
        return String(text)
    }
}
