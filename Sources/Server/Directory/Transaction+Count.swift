import Storage

extension Transaction {
    /// Counts the rows of a query, and stops at a bound: beyond it a number takes longer the more there are.
    /// - Parameter rows: a query without a limit.
    func count(_ rows: String, _ parameters: [any SQLConvertible], upTo bound: Int) throws -> Int {
        try first("SELECT COUNT(*) FROM (\(rows) LIMIT \(bound)) AS some_rows", parameters) { try $0[0] } ?? 0
    }
}
