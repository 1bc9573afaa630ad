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
    /// Who has got the password by mail; nil unless letters were asked for, and so is the next.
    let written: [IssuedPasswords.Written]?
    let notWritten: [NotWritten]?
    let remarks: [String]

    struct NotWritten: Encodable {
        let name: String
        let userName: String
        let reason: IssuedPasswords.NoLetter
    }

    private let letterLines: [String]

    private enum CodingKeys: CodingKey {
        case passwords, files, validUntil, keptTheirs, leftOut, written, notWritten, remarks
    }

    init(_ issued: IssuedPasswords, _ files: [String], _ remarks: [String]) {
        self.remarks = remarks
        passwords = issued.people.count
        self.files = files
        validUntil = issued.validUntil
        keptTheirs = issued.keptTheirs
        leftOut = issued.leftOut
        written = issued.written
        notWritten = issued.written.map { _ in
            issued.people.compactMap { one in
                one.noLetter.map { NotWritten(name: one.fullName, userName: one.userName, reason: $0) }
            }
        }
        letterLines = issued.letterLines
    }

    var text: String {
        let people = IssuedPasswords.people(passwords)
        let have = passwords == 1 ? "has" : "have"
        let heading = "\(people) \(have) a temporary password, good until \(validUntil.minuteText) UTC:"
        let lines = [heading] + files.map { "  \($0)" } + letterLines + IssuedPasswords.remarks(keptTheirs, leftOut)
        return (lines + remarks).joined(separator: "\n")
    }
}

extension IssuedPasswords {
    /// The passwords themselves, for the terminal.
    var text: String {
        let remarks = letterLines + Self.remarks(keptTheirs, leftOut)
        guard !people.isEmpty else {
            let isNobody = written?.isEmpty ?? true
            return ((isNobody ? ["Nobody has got a password."] : []) + remarks).joined(separator: "\n")
        }
        let table = Table.text(
            ["CLASS", "NAME", "USER NAME", "PASSWORD"],
            people.map { [$0.class ?? "–", $0.fullName, $0.userName, $0.password] })
        return ([table, "", "They are shown this once, and good until \(validUntil.minuteText) UTC."] + remarks)
            .joined(separator: "\n")
    }

    /// Who was written to, and who was not, and why. Pupils are many, and get no letters anyway.
    fileprivate var letterLines: [String] {
        guard let written else { return [] }
        var lines: [String] = []
        if !written.isEmpty {
            let who = written.count == 1 ? "1 person gets the password" : "\(written.count) people get their passwords"
            lines.append("\(who) by mail, good until \(validUntil.minuteText) UTC:")
            lines += written.map { "  \($0.name) (\($0.userName)) at \($0.address)" }
        }
        lines += people.compactMap { one in
            guard let reason = one.noLetter?.text else { return nil }
            return "No letter to \(one.fullName) (\(one.userName)), \(reason)."
        }
        let pupils = people.count { $0.noLetter == .pupil }
        if pupils > 0 { lines.append("No letters to pupils; there \(pupils == 1 ? "is 1" : "are \(pupils)").") }
        return lines
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

extension IssuedPasswords.NoLetter {
    /// Nil for pupils, who are not named one by one.
    fileprivate var text: String? {
        switch self {
        case .pupil: nil
        case .noAddress: "who has no address that mail can be sent to"
        case .notVerified: "whose address is in no domain that the organization has verified"
        }
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
        case .over: "has no role there any more since its last day"
        }
    }
}
