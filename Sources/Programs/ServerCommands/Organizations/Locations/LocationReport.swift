import Directory
import Foundation

/// The output of commands about a location.
struct LocationReport: Encodable, Sendable {
    /// `LO:` and a number, as apps see it.
    let id: String
    let locationID: String?
    let name: String
    let source: RecordSource
    let domain: String?
    let timeZone: String?
    let studentPasswordPolicy: PasswordPolicy?

    init(_ location: Location) {
        id = "LO:\(location.id.rawValue)"
        locationID = location.sourceID
        name = location.name
        source = location.source
        domain = location.domainName
        timeZone = location.timeZone
        studentPasswordPolicy = location.studentPasswordPolicy
    }

    static let head = ["NUMBER", "ID", "NAME", "TIME ZONE", "DOMAIN", "PUPILS' PASSWORDS"]

    var row: [String] {
        [
            id, locationID ?? "–", name, timeZone ?? "–", domain ?? "–",
            studentPasswordPolicy?.words ?? PasswordPolicy.standard.words,
        ]
    }
}

extension PasswordPolicy {
    var words: String {
        switch self {
        case .fourDigits: "4 digits"
        case .sixDigits: "6 digits"
        case .standard: "8 characters or more"
        }
    }
}
