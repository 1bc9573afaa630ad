/// One queued write: its closure, and what receives its result after the commit.
struct WriteJob: Sendable {
    /// Runs the closure in the transaction and returns a function that gives the caller its value; it is called after
    /// the commit.
    fileprivate let perform: @Sendable (WriteTransaction) throws -> (@Sendable () -> Void)
    fileprivate let fail: @Sendable (any Error) -> Void
    fileprivate let queuedAt: ContinuousClock.Instant

    init<Value: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Value, queuedAt: ContinuousClock.Instant = .now,
        answer: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        self.queuedAt = queuedAt
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

    /// - Parameter busyTimeout: how long each may wait for another process, counted from when it was queued, so that a
    ///   write behind a batch that has timed out does not wait as long again.
    init(_ jobs: [WriteJob], on connection: SQLiteConnection, busyTimeout: Duration) {
        self.jobs = jobs
        self.connection = connection
        let waited = jobs.map { $0.queuedAt.duration(to: .now) }.max() ?? .zero
        connection.setBusyTimeout(max(.zero, busyTimeout - waited))
    }

    /// Runs all jobs, and gives each caller its result after the changes are durable or rolled back.
    func run() {
        guard jobs.count > 1 else { return runAlone(jobs[0]) }
        switch commitTogether() {
        case .success(let answers): for answer in answers { answer() }
        // Running each job alone would wait for the same lock again, one after the other.
        case .failure(let error as DatabaseError) where error.isBusy: for job in jobs { job.fail(error) }
        // One job or the disk has failed the whole transaction. Running each job alone shows which one it was.
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
                        // On some errors SQLite ends the transaction by itself; then there is no savepoint to roll back
                        // to.
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
