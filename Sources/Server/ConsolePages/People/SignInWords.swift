import Administration
import ServerPages

/// How the console speaks of the ways in which a person signs in, and of the apps to which they do.
package enum SignInWords {
    static func ways(_ ways: SignInRecord.Ways) -> Cell {
        guard !ways.isEmpty else { return .sentence(Sentence("consolePerson.waysNone")) }
        func counted(_ key: String, _ count: Int) -> [Sentence] {
            count > 0 ? [Sentence("consolePerson.\(key)", ["count": .count(count)])] : []
        }
        return .chips(
            counted("passkeys", ways.passkeys)
                + (ways.oneTimeCodes ? [Sentence("consolePerson.oneTimeCodes")] : [])
                + counted("recoveryCodes", ways.recoveryCodes))
    }

    /// - Parameter person: the number of the person of whom each row leads to why the app gets data; nil for no such links.
    static func table(_ apps: [SignInRecord.App], explaining person: Int64?) -> Table {
        Table(
            Sentence("consolePerson.apps"),
            [
                .init(Sentence("consoleAccess.app")), .init(Sentence("consoleAccess.team")),
                .init(Sentence("consolePerson.appSince")), .init(Sentence("consolePerson.email")),
            ] + (person == nil ? [] : [.init(Sentence("consoleAccess.action"))]),
            apps.map { app in
                Table.Row(
                    [
                        .text(app.name), .text(app.team), .day(app.since),
                        .sentence(Sentence("consolePerson.address_\(app.address?.rawValue ?? "none")")),
                    ]
                        + (person.map {
                            [Cell.phrase(Sentence("consoleWhy.ask"), to: WhyPage.path(of: app.number, about: $0))]
                        } ?? []))
            }, empty: Sentence("consolePerson.appsNone"))
    }

    // MARK: Before lost passkeys and codes are removed

    package static func heading(_ person: PersonRecord) -> Sentence {
        Sentence("consolePerson.resetFactorsHeading", ["name": .text(person.fullName)])
    }

    /// - Parameter sendsMail: whether a mail tells the person.
    package static func consequences(sendsMail: Bool) -> [Sentence] {
        [
            Sentence("consolePerson.resetFactorsWho"), Sentence("consolePerson.resetFactorsGoes"),
            Sentence(
                sendsMail ? "consolePerson.resetFactorsSignsOut" : "consolePerson.resetFactorsSignsOutWithoutMail"),
        ]
    }

    package static var button: Sentence { Sentence("consolePerson.resetFactorsButton") }

    static let sentences =
        ["passkeys", "recoveryCodes"].map { Sentence("consolePerson.\($0)", ["count": .count(0)]) }
        + (SignInRecord.App.Address.allCases.map(\.rawValue) + ["none"]).map { Sentence("consolePerson.address_\($0)") }
}
