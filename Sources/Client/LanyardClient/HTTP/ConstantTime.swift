extension String {
    /// Compares without telling by its time how many characters fit. Of a difference in length it does tell.
    package func equalsInConstantTime(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return zip(utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
