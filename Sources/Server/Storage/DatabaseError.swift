/// The errors of a database, distinguished as far as callers handle them differently.
@usableFromInline package enum DatabaseError: Error, Equatable {
    /// A unique key is taken. SQLite names the columns (`person.user_name`), PostgreSQL the constraint.
    case uniqueViolation(String)
    case foreignKeyViolation(String)
    /// A `CHECK`, a `NOT NULL` or a column's type refused the value.
    case constraintViolation(String)
    /// A text contains a NUL byte, which PostgreSQL does not accept. The statement was not run.
    case unstorableText
    /// The disk is full, or the database has reached its size limit. Nothing was changed.
    case full(String)
    /// Another connection held a lock for longer than the timeout.
    case busy(String)
    /// The transaction failed to serialize, even after it was repeated.
    case notSerializable(String)
    /// The server has no room to note what another transaction reads, because a long one runs beside many. The
    /// transaction was repeated for some seconds, and nothing was changed.
    case crowded(String)
    /// The server cannot be reached, or the file cannot be opened, read or written.
    case unavailable(String)
    /// The database was written by a newer Lanyard.
    case newerSchema(found: Int, known: Int)
    /// A column does not hold what the code expects.
    case unexpectedValue(String)
    case closed
    /// Any other error, with the database's own code and message.
    case other(code: String, message: String)

    var isBusy: Bool { if case .busy = self { true } else { false } }

    /// Whether the same call may succeed later: the database was full, busy, or not reachable.
    package var mayPass: Bool {
        switch self {
        case .full, .busy, .notSerializable, .crowded, .unavailable, .closed: true
        default: false
        }
    }
}
