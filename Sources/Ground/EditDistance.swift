extension Array where Element: Equatable {
    /// The Levenshtein distance: the least number of insertions, deletions and replacements that turn this array into
    /// `other`.
    package func editDistance(to other: [Element]) -> Int {
        var row = Array<Int>(0...other.count)
        for (i, element) in enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, candidate) in other.enumerated() {
                let above = row[j + 1]
                row[j + 1] = Swift.min(diagonal + (element == candidate ? 0 : 1), above + 1, row[j] + 1)
                diagonal = above
            }
        }
        return row[other.count]
    }
}
