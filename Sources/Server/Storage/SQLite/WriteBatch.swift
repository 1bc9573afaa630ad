/// One waiting write: its closure, and where its result goes after the commit.
struct WriteJob: Sendable {
    /// Runs the closure and returns what answers the caller once the transaction has ended as `Error?` says.
    fileprivate let perform: @Sendable (WriteTransaction) throws -> (@Sendable () -> Void)
    fileprivate let fail: @Sendable (any Error) -> Void
    /// When it was handed over.
    fileprivate let start = ContinuousClock.now

    init<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Value,
        answer: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        perform = { transaction in
            let value = try body(transaction)
            return { answer(.success(value)) }
        }
        fail = { answer(.failure($0)) }
    }
}

/// Writes that share one commit.
struct WriteBatch {
    private let jobs: [WriteJob]
    private let connection: SQLiteConnection

    /// - Parameter busyTimeout: how long each may wait for another process, counted from when it was handed over: whoever
    ///   stands behind a batch that has waited in vain does not wait as long again.
    init(_ jobs: [WriteJob], on connection: SQLiteConnection, busyTimeout: Duration) {
        self.jobs = jobs
        self.connection = connection
        let waited = jobs.map { $0.start.duration(to: .now) }.max() ?? .zero
        connection.setBusyTimeout(max(.zero, busyTimeout - waited))
    }

    /// Answers every job, after its changes are durable or undone.
    func run() {
        guard jobs.count > 1 else { return runAlone(jobs[0]) }
        switch commitTogether() {
        case .success(let answers): for answer in answers { answer() }
        // Alone each would wait as long again, one after the other.
        case .failure(let error as DatabaseError) where error.isBusy: for job in jobs { job.fail(error) }
        // The whole transaction is gone, the fault of one job or of the disk: each alone finds out which.
        case .failure: for job in jobs { runAlone(job) }
        }
    }

    private func commitTogether() -> Result<[@Sendable () -> Void], any Error> {
        Result {
            try connection.transaction(writing: true) {
                var answers: [@Sendable () -> Void] = []
                for job in jobs {
                    _ = try connection.run("SAVEPOINT job", []) { _ in }
                    do {
                        answers.append(try job.perform(transaction))
                        _ = try connection.run("RELEASE job", []) { _ in }
                    } catch {
                        // SQLite itself ends the transaction on some errors; then there is no savepoint to go back to.
                        guard !connection.isAutocommitting else { throw error }
                        _ = try connection.run("ROLLBACK TO job", []) { _ in }
                        _ = try connection.run("RELEASE job", []) { _ in }
                        answers.append { job.fail(error) }
                    }
                }
                return answers
            }
        }
    }

    private func runAlone(_ job: WriteJob) {
        do {
            try connection.transaction(writing: true) { try job.perform(transaction) }()
        } catch {
            job.fail(error)
        }
    }

    private var transaction: WriteTransaction {
        WriteTransaction(handle: ConnectionHandle(connection: connection))
    }
}
