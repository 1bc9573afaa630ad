import Storage

/// The database cannot serve at the moment: it is full, busy or unreachable. A later request may succeed.
struct Unavailable: Error, CustomStringConvertible {
    let cause: DatabaseError

    /// Seconds after which a client should try again.
    static let pause = "10"

    var description: String { "\(cause)" }
}
