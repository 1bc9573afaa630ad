import Ground

extension String {
    /// The number of a record, of 18 digits at most, as it stands behind the letters of its kind.
    /// - Parameter prefix: such as `PE-`.
    /// - Returns: nil if the text is anything else, such as a name or a school's own id.
    func number(after prefix: String) -> Int64? {
        guard hasPrefix(prefix) else { return nil }
        let digits = utf8.dropFirst(prefix.utf8.count)
        guard (1...18).contains(digits.count),
            digits.allSatisfy(\.isDigit)
        else { return nil }
        return Int64(Substring(digits))
    }
}
