import Administration
import CommandOutput
import Directory
import RosterFiles

extension OrganizationRecord {
    static let head = ["ID", "NAME", "KIND", "LOCATIONS", "PEOPLE", "CLASSES"]

    var row: [String] { [id, name, isSandbox ? "sandbox" : kind.rawValue, "\(locations)", "\(people)", "\(classes)"] }

    private var erasureText: String {
        if let erasedAt { return ", and erased \(erasedAt.minuteText) UTC" }
        return erasesOn.map { "; it is erased on \($0.text)" } ?? ""
    }

    /// Nil if there are none.
    private var locationDefaults: String? {
        let defaults = [locationDomain, locationTimeZone].compactMap { $0 }
        return defaults.isEmpty ? nil : "\(defaults.joined(separator: ", ")) unless they have their own"
    }

    /// Nil if the server decides alone.
    private var sessionText: String? {
        let parts = [
            sessionHours.map { "for \($0) hours" }, idleMinutes.map { "until \($0) minutes pass without use" },
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private var factorText: String {
        factorHolders.isEmpty
            ? "nobody has to have one"
            : "\(factorHolders.map(\.rawValue).joined(separator: ", ")) within \(factorGraceDays) days"
    }

    private var kindText: String {
        if isTestSchool { return "school, made up, for the test scope" }
        return isSandbox ? "sandbox of a team of app developers" : kind.rawValue
    }

    var text: String {
        Table.fields([
            ("Name", name),
            ("Id", id),
            ("Kind", kindText),
            ("Colour", colour?.rawValue ?? "of its id"),
            ("Badge", pictureID == nil ? "initials" : "picture"),
            ("User names", userNameFormat),
            ("Domains", domains.isEmpty ? "none" : domains.map(\.text).joined(separator: ", ")),
            ("Locations", "\(locations)"),
            ("People", "\(people)"),
            ("Classes", "\(classes)"),
            ("Administrators", "\(administrators) can sign in"),
            ("Signing in", signInMode.words(for: true)),
            ("People confirm", asksEveryTime ? "each sign-in" : "the first sign-in to an app"),
            ("Second factor", factorText),
            ("Stay signed in", sessionText),
            ("Language", language),
            ("Terms", termsURL),
            ("Data sharing", accessMode.words(for: false)),
            ("Connected apps", "\(connectedApps)"),
            (
                "Imports wait",
                """
                if they remove over \(importThresholds.removedPercent) % or change over \
                \(importThresholds.changedPercent) %, give over \(importThresholds.replacedMax) ids to other people or \
                rename over \(importThresholds.renamedPercent) %
                """
            ),
            ("Locations have", locationDefaults),
            ("Made", "\(createdAt.minuteText) UTC"),
            ("Closed", closedAt.map { "\($0.minuteText) UTC\(erasureText)" }),
        ])
    }
}

extension DomainRecord {
    var text: String { verifiedAt == nil ? "\(name) (not verified)" : name }
}
