import Administration
import CommandOutput
import Directory
import Foundation

extension PersonRecord.HeldRole {
    var text: String {
        let days = [from.map { "from \($0.text)" }, until.map { "until \($0.text)" }].compactMap(\.self)
        return ([role.title, location].compactMap(\.self) + (days.isEmpty ? [] : [days.joined(separator: " ")]))
            .joined(separator: ", ")
    }
}

extension PersonRecord {
    private var wait: String {
        pausedUntil.map {
            """
            ; other browsers than the known ones can sign in again from \($0.minuteText) UTC, or after `lanyard person \
            unlock`
            """
        } ?? ""
    }

    private var former: String? {
        formerUserNames.map { names in
            names.map { "\($0.userName), kept until \($0.keptUntil.minuteText) UTC" }.joined(separator: "; ")
        }
    }

    var text: String {
        Table.fields([
            ("Name", Person.fullName(givenName: firstName, middleName: middleName, familyName: lastName)),
            ("User name", userName),
            ("Former names", former),
            ("Number", "\(number)"),
            ("Person id", personID),
            ("Organization", organizationName ?? "none: a personal account"),
            ("State", state.words),
            ("Merged into", mergedInto.map { "PE-\($0)" }),
            ("Roles", roles.isEmpty ? "none" : roles.map(\.text).joined(separator: "; ")),
            ("Email", email),
            ("Grade", grade),
            ("Password", passwordPolicy.words),
            ("Known browsers", "\(knownBrowsers)"),
            ("Wrong passwords", wrongPasswords > 0 ? "\(wrongPasswords)" + wait : nil),
            ("Kept up by", source == .csv ? "the import" : "hand"),
            ("Made", "\(createdAt.minuteText) UTC"),
            ("Changed", "\(modifiedAt.minuteText) UTC"),
        ])
    }
}

extension Person.State {
    var words: String {
        switch self {
        case .new: "new: has never signed in"
        case .active: "active"
        case .deactivated: "deactivated: cannot sign in, and apps do not see the person"
        case .locked: "locked for a while after too many wrong passwords; `lanyard person unlock` ends it"
        }
    }
}
