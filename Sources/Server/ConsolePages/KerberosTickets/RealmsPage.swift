import Administration
import Directory
import Ground
import ServerPages

/// The realms of Kerberos whose tickets sign people in, and whom a name in a ticket means.
package struct RealmsPage: ConsolePage {
    package let desk: Desk
    package let answer: ListRealms.Answer
    package let typed: [String: String]
    package let failure: OperationFailure?

    package init(
        desk: Desk, answer: ListRealms.Answer, typed: [String: String] = [:], failure: OperationFailure? = nil
    ) {
        self.desk = desk
        self.answer = answer
        self.typed = typed
        self.failure = failure
    }

    package static let path = "\(ConsoleSection.settings.path)/realms"
    /// The names of the form's fields.
    package static let names = ["realm", "matching", "domain"]

    package static func removePath(of realm: String) -> String { "\(path)/\(FormEncoding.escape(realm))/remove" }

    package var section: ConsoleSection { .settings }
    package var heading: Sentence { Sentence("consoleRealms.heading") }
    package var lead: Sentence? { Sentence("consoleRealms.lead") }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }

    /// A rule can make a ticket sign somebody in as an Administrator, so that only Administrators of the whole organization
    /// may set one.
    private var mayChange: Bool { desk.wholeRoles.contains(.administrator) && !desk.isSandbox }

    package var parts: [Part] {
        var parts = Part.refusals(failure)
        if let service = answer.service {
            parts.append(.facts([Fact(Sentence("consoleRealms.service"), .verbatim(service))]))
        } else {
            parts.append(.message(.warning, Sentence("consoleRealms.isOff")))
        }
        parts.append(.table(table))
        guard mayChange else { return parts }
        return parts + [.heading(Sentence("consoleRealms.set"), Sentence("consoleRealms.setLead")), .form(form)]
    }

    private var table: Table {
        Table(
            heading,
            [
                .init(Sentence("consoleRealms.realm")), .init(Sentence("consoleRealms.matching")),
                .init(Sentence("consoleRealms.people")), .init(Sentence("consoleRealms.ambiguous")),
            ] + (mayChange ? [.init(Sentence("consoleAccess.action"))] : []),
            answer.realms.map { realm in
                Table.Row(
                    [
                        .verbatim(realm.realm),
                        .sentence(RealmWords.rule(realm.matching, domain: realm.domain)), .count(realm.people),
                        .count(realm.ambiguous),
                    ]
                        + (mayChange
                            ? [.phrase(Sentence("consoleRealms.remove"), to: Self.removePath(of: realm.realm))] : []))
            }, empty: Sentence("consoleRealms.none"))
    }

    private var form: ConsoleForm {
        ConsoleForm(
            .init(Self.path),
            [
                ConsoleField(
                    "realm", .verbatim, Sentence("consoleRealms.realm"), value: typed["realm"] ?? "",
                    hint: Sentence("consoleRealms.realmHint"), isRequired: true),
                ConsoleField(
                    "matching",
                    .choice(
                        KerberosRealm.Matching.allCases.map { .init($0.rawValue, RealmWords.label($0)) }),
                    Sentence("consoleRealms.matching"),
                    value: typed["matching"] ?? KerberosRealm.Matching.userName.rawValue),
                ConsoleField(
                    "domain", .verbatim, Sentence("consoleRealms.domain"), value: typed["domain"] ?? "",
                    hint: Sentence("consoleRealms.domainHint")),
            ], button: Sentence("consoleRealms.button"))
    }
}

/// The words of the pages on which a realm is set or removed.
package enum RealmWords {
    package static let parent = ConsoleLink(Sentence("consoleRealms.heading"), to: RealmsPage.path)
    package static let button = Sentence("consoleRealms.confirm")
    package static let removeButton = Sentence("consoleRealms.remove")
    package static let removeConsequences = [Sentence("consoleRealms.removeText")]

    package static func heading(_ realm: String) -> Sentence {
        Sentence("consoleRealms.setHeading", ["realm": .text(realm)])
    }

    package static func removeHeading(_ realm: String) -> Sentence {
        Sentence("consoleRealms.removeHeading", ["realm": .text(realm)])
    }

    /// How many people the rule would sign in.
    package static func consequences(
        _ matching: KerberosRealm.Matching, domain: String?, _ reach: ShowRealmReach.Answer
    ) -> [Sentence] {
        [
            rule(matching, domain: domain),
            Sentence("consoleRealms.wouldMatch", ["count": .count(reach.people)]),
        ]
            + (reach.ambiguous > 0
                ? [Sentence("consoleRealms.wouldBeAmbiguous", ["count": .count(reach.ambiguous)])] : [])
    }

    static func label(_ matching: KerberosRealm.Matching) -> Sentence {
        Sentence("consoleRealms.matching_\(matching.rawValue)")
    }

    static func rule(_ matching: KerberosRealm.Matching, domain: String?) -> Sentence {
        domain.map { Sentence("consoleRealms.matchingInDomain", ["domain": .text($0)]) } ?? label(matching)
    }

    static var sentences: [Sentence] { KerberosRealm.Matching.allCases.map(label) }
}
