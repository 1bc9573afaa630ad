import SingleSignOn

/// A finding in the JSON output.
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
