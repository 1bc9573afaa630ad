extension StringProtocol {
    /// Without spaces and tabs around it: those of other scripts too, but no ends of lines.
    package var trimmingSpaces: String {
        trimming { $0 == "\t" || $0.properties.generalCategory == .spaceSeparator }
    }

    /// Without spaces, tabs and ends of lines around it.
    package var trimmingWhitespace: String { trimming(\.properties.isWhitespace) }

    private func trimming(_ isOutside: (Unicode.Scalar) -> Bool) -> String {
        guard let first = unicodeScalars.firstIndex(where: { !isOutside($0) }),
            let last = unicodeScalars.lastIndex(where: { !isOutside($0) })
        else { return "" }
        return String(self[first...last])
    }
}
