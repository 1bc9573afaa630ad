import Administration
import Directory
import Foundation
import ServerPages

/// One person, with all that concerns them and what can be done.
package struct PersonPage: ConsolePage {
    package let desk: Desk
    package let person: PersonRecord
    package let signIns: SignInRecord
    /// A page of the classes in which the person teaches or learns; nil in an organization that has no classes, such as a
    /// business.
    package let classes: ListClasses.Answer?
    /// The number after which that page begins; nil for the first one.
    package let after: Int64?
    /// Nil for people who may not see them.
    package let devices: Int?
    /// Those of the privileges in ``asked`` that the reader of the page has over this person.
    package let allowed: Set<Privilege>
    /// Whether nobody else is an Administrator without end, so that account and role stay.
    package let isOnlyAdministrator: Bool
    package let now: Date

    /// The privileges that are asked about each person, because they may reach some people of the organization only.
    package static let asked: Set<Privilege> = [
        .managePeople, .erasePeople, .issuePasswords, .readAudit, .manageDevices,
    ]

    package init(
        desk: Desk, person: PersonRecord, signIns: SignInRecord, classes: ListClasses.Answer?, after: Int64?,
        devices: Int?, allowed: Set<Privilege>, isOnlyAdministrator: Bool, now: Date
    ) {
        self.allowed = allowed
        self.isOnlyAdministrator = isOnlyAdministrator
        self.signIns = signIns
        self.classes = classes
        self.after = after
        self.devices = devices
        self.desk = desk
        self.person = person
        self.now = now
    }

    private var path: String { PersonWords.path(of: person.number) }
    private var name: String { PersonWords.name(of: person) }

    package var section: ConsoleSection { .people }
    package var heading: Sentence { .named(name) }
    package var parent: ConsoleLink? { ConsoleLink(Sentence("consolePeople.heading"), to: section.path) }
    package var badge: Badge? { PersonWords.badge(name, person.number) }
    package var actions: [ConsoleLink] {
        allowed.contains(.managePeople) ? [ConsoleLink(Sentence("consolePerson.edit"), to: "\(path)/edit")] : []
    }

    package var parts: [Part] {
        var parts: [Part] = []
        if let mergedInto = person.mergedInto {
            parts.append(
                .message(
                    .notice, Sentence("consolePerson.merged"),
                    ConsoleLink(Sentence("consolePerson.mergedLink"), to: PersonWords.path(of: mergedInto))))
        }
        if let pausedUntil = person.pausedUntil, pausedUntil > now {
            parts.append(.message(.warning, Sentence("consolePerson.paused")))
        }
        parts.append(.facts(facts))
        let links = links
        if !links.isEmpty {
            parts.append(.heading(Sentence("consolePerson.doHeading")))
            parts.append(.links(links))
            if isOnlyAdministrator, isActive, !allowed.isDisjoint(with: [.managePeople, .erasePeople]) {
                parts.append(.text(Sentence("consolePerson.onlyAdministrator")))
            } else if allowed.contains(.erasePeople), !isOwn, !canBeErased {
                parts.append(.text(Sentence("consolePerson.eraseLater")))
            }
        }
        if let classes, !classes.classes.isEmpty || after != nil {
            parts.append(.heading(Sentence("consoleClasses.heading")))
            parts.append(
                .table(
                    ClassWords.table(
                        classes.classes, isArchived: false, next: classes.next.map { "\(path)?after=\($0)" },
                        first: after.map { _ in path })))
        }
        if !signIns.apps.isEmpty {
            parts.append(.heading(Sentence("consolePerson.apps"), Sentence("consolePerson.appsLead")))
            // Why an app gets data of somebody is asked on the app's pages, which a business has not.
            let mayAskWhy = desk.isSchool && desk.mayEverywhere(.shareData)
            parts.append(.table(SignInWords.table(signIns.apps, explaining: mayAskWhy ? person.number : nil)))
        }
        return parts
    }

    private var facts: [Fact] {
        func optional(_ key: String, _ text: String?) -> [Fact] {
            text.map { [Fact(Sentence("consolePerson.\(key)"), .text($0))] } ?? []
        }
        return [
            Fact(Sentence("consolePeople.state"), PersonWords.state(person.state)),
            Fact(Sentence("consolePeople.userName"), .address(person.userName)),
        ]
            + (person.formerUserNames ?? []).map {
                Fact(
                    Sentence("consolePerson.formerUserName"),
                    .sentence(
                        Sentence(
                            "consolePerson.formerUntil", ["name": .text($0.userName), "day": .day($0.keptUntil)])))
            }
            + (person.email.map { [Fact(Sentence("consolePerson.email"), .address($0))] } ?? [])
            + (person.roles.isEmpty ? [] : [Fact(Sentence("consolePeople.roles"), PersonWords.roles(person.roles))])
            + person.roles.filter { $0.state(at: now) != .current }.map {
                Fact($0.role.word, PersonWords.period(of: $0, at: now))
            }
            + optional("gradeName", person.grade) + optional("personID", person.personID)
            + [
                Fact(
                    Sentence("consolePerson.source"),
                    .sentence(Sentence("consolePerson.source_\(person.source.rawValue)")))
            ]
            + signInFacts + [Fact(Sentence("consolePerson.changed"), .day(person.modifiedAt))]
    }

    private var signInFacts: [Fact] {
        [
            Fact(
                Sentence("consolePerson.policy"),
                .sentence(Sentence("consolePerson.policy_\(person.passwordPolicy.rawValue)")))
        ]
            + (signIns.ways.map { [Fact(Sentence("consolePerson.ways"), SignInWords.ways($0))] } ?? [])
            + [Fact(Sentence("consolePerson.browsers"), .count(person.knownBrowsers))]
            + (devices.map { [Fact(Sentence("consolePerson.devices"), cell(devices: $0))] } ?? [])
    }

    /// The number, with the way to the list.
    private func cell(devices: Int) -> Cell {
        devices == 0
            ? .count(0)
            : .phrase(
                Sentence("consolePerson.deviceCount", ["count": .count(devices)]),
                to: "\(ConsoleSection.devices.path)?person=PE-\(person.number)")
    }

    private var isOwn: Bool { desk.person.id == String(person.number) }
    private var isActive: Bool { person.state != .deactivated }

    /// Whether the person can be erased: not by themselves, not while the school's files name them, since they would come
    /// back with the next import, and not as long as the organization needs them.
    private var canBeErased: Bool {
        !isOwn && (person.source == .manual || !isActive) && !(isOnlyAdministrator && isActive)
    }

    private var links: [ConsoleLink] {
        func link(_ key: String, _ last: String) -> ConsoleLink {
            ConsoleLink(Sentence("consolePerson.\(key)"), to: "\(path)/\(last)")
        }
        var links: [ConsoleLink] = []
        if allowed.contains(.issuePasswords), isActive {
            links += [link("password", "password"), link("signOut", "sign-out")]
            if person.wrongPasswords > 0 || person.pausedUntil != nil { links.append(link("unlock", "unlock")) }
        }
        if allowed.contains(.issuePasswords), let ways = signIns.ways, !ways.isEmpty {
            links.append(link("resetFactors", "reset-factors"))
        }
        if allowed.contains(.managePeople) {
            links += [link("rename", "rename"), link("roles", "roles")]
            if isActive, !isOnlyAdministrator { links.append(link("deactivate", "deactivate")) }
            // A record that was merged comes back when that is taken back.
            if !isActive, person.mergedInto == nil { links.append(link("reactivate", "reactivate")) }
        }
        if allowed.contains(.readAudit) { links.append(link("readers", "readers")) }
        // The trail is of the whole organization.
        if desk.mayEverywhere(.readAudit) {
            links.append(
                ConsoleLink(
                    Sentence("consolePerson.activity"),
                    to: "\(ConsoleSection.activity.path)?person=PE-\(person.number)"))
        }
        // The record that is kept has to be in use.
        if allowed.contains(.erasePeople), isActive { links.append(link("merge", "merge")) }
        if allowed.contains(.readAudit) { links.append(link("data", "data")) }
        if allowed.contains(.erasePeople), canBeErased { links.append(link("erase", "erase")) }
        return links
    }

    private static let actions = [
        "password", "signOut", "unlock", "resetFactors", "rename", "roles", "deactivate", "reactivate", "readers",
        "merge", "data", "erase",
    ]

    static let sentences =
        (actions + ["gradeName", "personID"]).map { Sentence("consolePerson.\($0)") }
        + RecordSource.allCases.map { Sentence("consolePerson.source_\($0.rawValue)") }
        + PasswordPolicy.allCases.map { Sentence("consolePerson.policy_\($0.rawValue)") }
}
