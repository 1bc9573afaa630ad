import Ground

/// Finds names that were probably meant to be another.
enum Spelling {
    /// Whether the two differ only in case, spaces and punctuation, in at most two letters, or in that one is cut short.
    static func isSimilar(_ name: String, _ wanted: String) -> Bool {
        let name = letters(of: name)
        let wanted = letters(of: wanted)
        guard name.count >= 4, name.count <= 2 * wanted.count else { return false }
        return wanted.starts(with: name) || name.starts(with: wanted) || name.editDistance(to: wanted) <= 2
    }

    /// Whether the two differ only in case, spaces and punctuation, and in at most two letters.
    static func isNearlySame(_ name: some StringProtocol, _ wanted: String) -> Bool {
        let name = letters(of: name)
        let wanted = letters(of: wanted)
        return name.count <= 2 * wanted.count && name.editDistance(to: wanted) <= 2
    }

    private static func letters(of name: some StringProtocol) -> [Character] {
        name.lowercased().filter { $0.isLetter || $0.isNumber }
            .map { $0 }
    }
}
