/// The result of one check of a doctor.
package struct DoctorFinding: Encodable, Equatable, Sendable {
    package enum Status: String, Encodable, Sendable {
        case ok
        /// Worth looking at, although everything works.
        case warning
        /// Wrong, and to be fixed.
        case problem
    }

    /// The name of the check.
    package let check: String
    package let status: Status
    package let message: String
    /// What to do about it; nil if nothing is to be done.
    package let remedy: String?

    private init(_ check: String, _ status: Status, _ message: String, remedy: String?) {
        (self.check, self.status) = (check, status)
        self.message = message.namingCommands()
        self.remedy = remedy?.namingCommands()
    }

    package static func ok(_ check: String, _ message: String) -> DoctorFinding {
        DoctorFinding(check, .ok, message, remedy: nil)
    }

    package static func warning(_ check: String, _ message: String, remedy: String) -> DoctorFinding {
        DoctorFinding(check, .warning, message, remedy: remedy)
    }

    package static func problem(_ check: String, _ message: String, remedy: String) -> DoctorFinding {
        DoctorFinding(check, .problem, message, remedy: remedy)
    }

    /// The rows of a table: the finding, and the remedy below it.
    fileprivate var rows: [[String]] {
        [[status.rawValue, check, message]] + (remedy.map { [["", "", "→ \($0)"]] } ?? [])
    }
}

/// What a doctor prints.
package struct DoctorReport: Encodable, Sendable {
    /// Whether there are no problems; warnings may be there.
    package let isWell: Bool
    package let findings: [DoctorFinding]

    package init(_ findings: [DoctorFinding]) {
        self.findings = findings
        isWell = !findings.contains { $0.status == .problem }
    }

    package var text: String {
        let problems = findings.count { $0.status == .problem }
        let warnings = findings.count { $0.status == .warning }
        return """
            \(Table.text(["", "CHECK", "FINDING"], findings.flatMap(\.rows)))

            \(problems + warnings == 0 ? "All is well." : "Problems: \(problems). Warnings: \(warnings).")
            """
    }
}
