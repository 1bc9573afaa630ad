/// How a transaction ends that may refuse a request. A refusal is thrown to the caller in either case; the verdict
/// decides whether what the transaction has written is committed. An error that `body` throws rolls back, as in
/// ``Database/write(_:)``.
package enum Verdict<Value: Sendable, Refusal: Error>: Sendable {
    /// The request is granted; commits what was written.
    case commit(Value)
    /// Refuses the request, but commits what was written, for example a note that a code was used twice. Also for
    /// refusals where nothing was written.
    case commitRefusal(Refusal)
    /// Refuses the request and rolls back what was written.
    case rollBack(Refusal)
}

extension Database {
    /// Runs `body` in a transaction that ends as its verdict says, and returns when that is durable.
    /// - Throws: the refusal; or what `body` throws, after a rollback.
    package func decide<Value: Sendable, Refusal: Error>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Verdict<Value, Refusal>
    ) async throws -> Value {
        let decided: Result<Value, Refusal> = try await write { transaction in
            switch try body(transaction) {
            case .commit(let value): .success(value)
            case .commitRefusal(let refusal): .failure(refusal)
            case .rollBack(let refusal): throw refusal
            }
        }
        return try decided.get()
    }
}
