/// What can go wrong in a database, told apart as far as callers act on it.
package enum DatabaseError: Error, Equatable {
    /// A unique key is taken. SQLite names the columns (`person.user_name`), PostgreSQL the constraint.
    case uniqueViolation(String)
    case foreignKeyViolation(String)
    /// A `CHECK`, a `NOT NULL` or a column's type refused the value.
    case constraintViolation(String)
    /// A text holds a NUL byte, which no column takes. The statement was not run.
    case unstorableText
    /// The disk, or the size allowed to the database, is used up. Nothing was changed.
    case full(String)
    /// Another connection held the database for longer than we wait.
    case busy(String)
    /// The transaction did not serialize, even after repeating it.
    case notSerializable(String)
    /// The server cannot be reached, or the file cannot be opened, read or written.
    case unavailable(String)
    /// The database was written by a newer Lanyard.
    case newerSchema(found: Int, known: Int)
    /// A column does not hold what the code expects.
    case unexpectedValue(String)
    case closed
    /// Anything else: the database's own code and words.
    case other(code: String, message: String)

    var isBusy: Bool { if case .busy = self { true } else { false } }

    /// Whether the same may succeed later, without anybody changing what was asked for: the database had no room or no
    /// time, or was not there.
    package var mayPass: Bool {
        switch self {
        case .full, .busy, .notSerializable, .unavailable, .closed: true
        default: false
        }
    }
}
