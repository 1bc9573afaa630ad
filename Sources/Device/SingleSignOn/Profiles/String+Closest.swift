import Ground

extension String {
    /// The word that differs least, if it differs by little: for “did you mean”.
    func closest(in words: Set<String>) -> String? {
        let lower = Array(lowercased().utf8)
        return words.filter { abs($0.utf8.count - lower.count) <= 2 }
            .map { ($0, lower.editDistance(to: Array($0.lowercased().utf8))) }
            .filter { $0.1 <= 2 }
            .min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
    }
}
