import Administration
import CommandOutput
import Foundation

/// What is told of passwords that were written into files.
struct PasswordsReport: Encodable {
    let passwords: Int
    let files: [String]
    let validUntil: Date
    let keptTheirs: Int
    let leftOut: [IssuedPasswords.LeftOut]
    let remarks: [String]

    init(_ issued: IssuedPasswords, _ files: [String], _ remarks: [String]) {
        self.remarks = remarks
        passwords = issued.people.count
        self.files = files
        validUntil = issued.validUntil
        keptTheirs = issued.keptTheirs
        leftOut = issued.leftOut
    }

    var text: String {
        let people = IssuedPasswords.people(passwords)
        let have = passwords == 1 ? "has" : "have"
        let heading = "\(people) \(have) a temporary password, good until \(validUntil.minuteText) UTC:"
        let lines = [heading] + files.map { "  \($0)" } + IssuedPasswords.remarks(keptTheirs, leftOut) + remarks
        return lines.joined(separator: "\n")
    }
}

extension IssuedPasswords {
    /// The passwords themselves, for the terminal.
    var text: String {
        let remarks = Self.remarks(keptTheirs, leftOut)
        guard !people.isEmpty else { return (["Nobody has got a password."] + remarks).joined(separator: "\n") }
        let table = Table.text(
            ["CLASS", "NAME", "USER NAME", "PASSWORD"],
            people.map { [$0.class ?? "–", $0.fullName, $0.userName, $0.password] })
        return ([table, "", "They are shown this once, and good until \(validUntil.minuteText) UTC."] + remarks)
            .joined(separator: "\n")
    }

    static func people(_ count: Int) -> String { count == 1 ? "1 person" : "\(count) people" }

    fileprivate static func remarks(_ keptTheirs: Int, _ leftOut: [LeftOut]) -> [String] {
        (keptTheirs == 0
            ? []
            : [
                keptTheirs == 1
                    ? "1 person has a password already and keeps it; --all replaces it too."
                    : "\(keptTheirs) people have a password already and keep it; --all replaces them too."
            ])
            + leftOut.map { "Left out: \($0.name) (\($0.userName)), who \($0.reason.text)." }
    }
}

extension IssuedPasswords.LeftOut.Reason {
    fileprivate var text: String {
        switch self {
        case .deactivated: "was deactivated meanwhile"
        case .password: "was given a password meanwhile, or has chosen one"
        case .roles: "has other roles by now"
        case .joined: "has only just joined"
        case .left: "does not belong there any more"
        }
    }
}
