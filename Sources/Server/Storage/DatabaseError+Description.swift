extension DatabaseError: CustomStringConvertible {
    @usableFromInline package var description: String {
        switch self {
        case .uniqueViolation(let key): "The database has such a record already (\(key))."
        case .foreignKeyViolation(let key): "The database refused a reference to a record that is not there (\(key))."
        case .constraintViolation(let constraint): "The database refused a value (\(constraint))."
        case .unstorableText: "A text holds a NUL byte, which the database does not take."
        case .full(let reason):
            "The disk of the database is full; nothing was changed. Make room and try again. (\(reason))"
        case .busy(let reason):
            "Another process held the database for too long; nothing was changed. Try again. (\(reason))"
        case .notSerializable(let reason):
            "Others changed the same records at the same moment; nothing was changed. Try again. (\(reason))"
        case .crowded(let reason):
            """
            PostgreSQL has no room for another transaction beside a long one; nothing was changed. Try again, and see \
            `lanyard doctor`. (\(reason))
            """
        case .unavailable(let reason): "The database cannot be used: \(reason)."
        case .newerSchema(let found, let known):
            """
            The database was written by a newer Lanyard (schema \(found); this program knows \(known)). \
            Run that version, or restore a backup.
            """
        case .unexpectedValue(let reason): "The database holds something unexpected: \(reason)."
        case .closed: "The database is closed."
        case .other(let code, let message): "The database answered: \(message) (\(code))."
        }
    }
}
