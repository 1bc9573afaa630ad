/// How a transaction ends in which somebody may be refused: what it has written stays or not, and either way the caller
/// hears the same. What `body` throws rolls back as ever; a case says so where it is meant.
package enum Verdict<Value: Sendable, Refusal: Error>: Sendable {
    /// Nobody is refused, and what was written stays.
    case commit(Value)
    /// What was written stays: that a code was shown twice, or that somebody asked too early. Also where nothing was.
    case commitRefusal(Refusal)
    /// Nothing stays of what was written before it turned out that it must not be.
    case rollBack(Refusal)
}

extension Database {
    /// Runs `body` in a transaction that ends as its verdict says, and returns after that is durable.
    /// - Throws: the refusal; what `body` throws, and then nothing stays.
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
