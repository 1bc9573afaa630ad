extension CSVCell {
    /// Removes the backslashes and doubled quotes that make characters literal, in place.
    mutating func removeEscapes() {
        guard traits.contains(.escaped) else { return }
        let doublesQuotes = traits.contains(.quoted)
        var from = 0
        var to = 0
        while from < count {
            if from + 1 < count {
                let next = start[from + 1]
                switch start[from] {
                case .backslash where next.isMadeLiteral: from += 1
                case .quote where doublesQuotes && next == .quote: from += 1
                default: break
                }
            }
            start[to] = start[from]
            from += 1
            to += 1
        }
        count = to
    }
}
