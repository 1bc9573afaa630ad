extension String {
    /// Compares in a time that does not depend on how many characters match. It does depend on the lengths.
    package func equalsInConstantTime(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return zip(utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
