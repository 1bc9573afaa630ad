/// What one check of the doctor found.
struct Finding: Encodable, Sendable {
    enum Status: String, Encodable, Sendable {
        case ok
        /// Something to look at; the server works.
        case warning
        /// Something that is wrong.
        case problem
    }

    /// A few words, the same each time.
    let check: String
    let status: Status
    let message: String
    /// What to do about it; absent when all is well.
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

    /// The finding, and the remedy on a line of its own.
    var rows: [[String]] {
        [[status.rawValue, check, message]] + (remedy.map { [["", "", "→ \($0)"]] } ?? [])
    }
}
