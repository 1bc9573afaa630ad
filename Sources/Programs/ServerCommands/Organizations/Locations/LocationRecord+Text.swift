import Administration
import Directory

extension LocationRecord {
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
