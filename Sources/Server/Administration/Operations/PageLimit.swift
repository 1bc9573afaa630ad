/// How many records one page of a list has.
enum PageLimit {
    /// - Parameter limit: what the caller asks for; nil for the standard.
    /// - Throws: ``OperationError/invalid(field:reason:)``
    static func check(_ limit: Int?, atMost most: Int, standard: Int = 100) throws -> Int {
        let limit = limit ?? standard
        guard (1...most).contains(limit) else {
            throw OperationError.invalid(field: "limit", reason: "is not between 1 and \(most)")
        }
        return limit
    }
}
