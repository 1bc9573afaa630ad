import Storage

/// The database cannot serve just now: no room, no time, not there. Who asks again may have an answer.
struct Unavailable: Error, CustomStringConvertible {
    let cause: DatabaseError

    /// Seconds until it is worth trying again.
    static let pause = "10"

    var description: String { "\(cause)" }
}
