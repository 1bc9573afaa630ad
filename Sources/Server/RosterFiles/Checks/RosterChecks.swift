import Directory
import Ground
import Storage

/// Checks that need more than one row: keys are unique, references lead somewhere, places fit together.
///
/// Each check is one SQL statement over the staging tables; findings are reported in the order of the lines.
struct RosterChecks {
    /// Findings of one kind that are reported one by one; further ones are only counted.
    static let reportedMax = 1_000

    let session: DatabaseSession
    let kind: Organization.Kind
    let staged: RosterStager.Staged
    let defects: DefectLog

    /// One thing that a check found. Which of the columns are filled depends on the check.
    struct Finding {
        let line: Int
        let value: String
        /// The other value that the finding is about, made printable because it appears in messages.
        let other: String?
        let otherLine: Int?
        let otherFile: String?
    }

    /// Runs a statement that selects `line`, `value`, `other`, `other_line`, `other_file` and the number of all
    /// findings as `total`, and hands over the first of them.
    func report(
        _ code: Defect.Code, in file: RosterFile, _ column: RosterColumn, _ sql: String,
        _ message: (Finding) -> String, remedy: (Finding) -> String
    ) throws {
        var total = 0
        var reported = 0
        try session.read { transaction in
            try transaction.forEach("\(sql) LIMIT \(Self.reportedMax)") { row in
                let other: String? = try row["other"]
                let finding = Finding(
                    line: try row["line"], value: try row["value"], other: other.map(Defect.printable),
                    otherLine: try row["other_line"], otherFile: try row["other_file"])
                total = try row["total"]
                reported += 1
                defects.report(
                    code, in: file.name, line: finding.line, column: column.name, value: finding.value,
                    message(finding), remedy: remedy(finding))
            }
        }
        defects.omit(code, in: file.name, count: total - reported)
    }
}
