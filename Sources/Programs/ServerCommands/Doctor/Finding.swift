/// The result of one check of the doctor.
struct Finding: Encodable, Sendable {
    enum Status: String, Encodable, Sendable {
        case ok
        /// Worth looking at, although the server works.
        case warning
        /// Wrong, and to be fixed.
        case problem
    }

    /// The name of the check.
    let check: String
    let status: Status
    let message: String
    /// What to do about it; nil if nothing is to be done.
    let remedy: String?

    static func ok(_ check: String, _ message: String) -> Finding {
        Finding(check: check, status: .ok, message: message, remedy: nil)
    }

    static func warning(_ check: String, _ message: String, remedy: String) -> Finding {
        Finding(check: check, status: .warning, message: message, remedy: remedy)
    }

    static func problem(_ check: String, _ message: String, remedy: String) -> Finding {
        Finding(check: check, status: .problem, message: message, remedy: remedy)
    }

    /// The rows of a table: the finding, and the remedy below it.
    var rows: [[String]] {
        [[status.rawValue, check, message]] + (remedy.map { [["", "", "→ \($0)"]] } ?? [])
    }
}
