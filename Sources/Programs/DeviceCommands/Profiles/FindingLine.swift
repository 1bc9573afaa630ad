import SingleSignOn

/// A finding as JSON has it.
struct FindingLine: Encodable {
    let severity: String
    let keyPath: String
    let problem: String
    let remedy: String?

    init(_ finding: SingleSignOn.Finding) {
        severity = finding.severity.rawValue
        keyPath = finding.keyPath
        problem = finding.problem
        remedy = finding.remedy
    }
}
