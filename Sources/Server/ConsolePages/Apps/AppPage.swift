import Administration
import Directory
import Foundation
import ServerPages

/// One app: what it may read and does read, and what can be done about it.
package struct AppPage: ConsolePage {
    package let desk: Desk
    package let sharing: SharingRecord
    /// Nil for an app that has never been connected.
    package let consent: ConsentRecord?
    /// The last calls of the app, the newest first; nil for people who may not read the audit trail.
    package let readings: [Reading]?

    /// A call of the app to the roster.
    package struct Reading: Sendable {
        let at: Date
        /// The call, as the Roster API names it.
        let call: String
        let records: Int

        package init(at: Date, call: String, records: Int) {
            self.at = at
            self.call = call
            self.records = records
        }
    }

    package init(desk: Desk, sharing: SharingRecord, consent: ConsentRecord?, readings: [Reading]?) {
        self.readings = readings
        self.desk = desk
        self.sharing = sharing
        self.consent = consent
    }

    private var path: String { AppWords.path(of: sharing.appNumber) }
    private var isAlive: Bool { consent.map { $0.revokedAt == nil } ?? false }

    package var section: ConsoleSection { .apps }
    package var heading: Sentence { .named(sharing.app) }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }
    package var badge: Badge? { consent.map { AppWords.badge($0.app, $0.clientID) } }
    package var actions: [ConsoleLink] {
        [ConsoleLink(Sentence("consoleApp.sharing"), to: "\(path)/sharing")]
            + (desk.may(.readPeople) ? [ConsoleLink(Sentence("consoleApp.viewAs"), to: "\(path)/view")] : [])
    }

    package var parts: [Part] {
        var parts: [Part] = []
        if !isAlive {
            parts.append(
                .message(
                    .notice, Sentence("consoleApp.notConnected"),
                    ConsoleLink(AccessTopic.dataSharing.heading, to: AccessTopic.dataSharing.path)))
        } else if let consent {
            if consent.refusal != nil {
                parts.append(
                    .message(
                        .warning, Sentence("consoleApp.stoppedText"),
                        ConsoleLink(ConsoleSection.access.label, to: ConsoleSection.access.path)))
            }
            if consent.isGiverDeactivated {
                parts.append(.message(.notice, Sentence("consoleApp.giverLeft")))
            }
        }
        parts.append(.facts(facts))
        parts += [.heading(Sentence("consolePerson.doHeading")), .links(links)]
        if let readings {
            parts += [.heading(Sentence("consoleApp.readings")), .table(table(of: readings))]
        }
        return parts
    }

    private func table(of readings: [Reading]) -> Table {
        Table(
            Sentence("consoleApp.readings"),
            [
                .init(Sentence("consoleApp.readAt")), .init(Sentence("consoleApp.call")),
                .init(Sentence("consoleApp.records"), isNumber: true),
            ],
            readings.map { .init([.day($0.at), .address($0.call), .count($0.records)]) },
            empty: Sentence("consoleApp.noReadings"))
    }

    private var facts: [Fact] {
        var facts: [Fact] = []
        if let consent {
            facts += [
                Fact(Sentence("consoleApp.state"), consent.state),
                Fact(Sentence("consoleAccess.clientID"), .address(consent.clientID)),
                Fact(Sentence("consoleApp.scopes"), .chips(AppWords.scopes(consent.scopes))),
                Fact(Sentence("consoleApp.grantedAt"), .day(consent.grantedAt)),
            ]
            if let giver = consent.grantedBy {
                facts.append(Fact(Sentence("consoleApp.grantedBy"), .address(giver)))
            }
            if let end = consent.revokedAt {
                facts.append(Fact(Sentence("consoleApp.endedAt"), .day(end)))
            } else {
                facts.append(Fact(Sentence("consoleApp.end"), consent.end))
            }
            facts.append(
                Fact(
                    Sentence("consoleApp.lastRead"),
                    consent.lastReadAt.map(Cell.day) ?? .sentence(Sentence("consoleApp.never"))))
            facts.append(Fact(Sentence("consoleApp.recordsRead"), .count(consent.recordsRead)))
        }
        let (people, classes) = (sharing.people, sharing.classCount)
        return facts + [
            Fact(
                Sentence(isAlive ? "consoleApp.sees" : "consoleApp.wouldSee"),
                .sentence(
                    Sentence("consoleApp.numbers", ["people": .count(people), "classes": .count(classes)]))),
            Fact(
                Sentence("consoleApp.limits"),
                sharing.limits.isEmpty ? .sentence(Sentence("consoleApp.noLimits")) : .chips(sharing.limits)),
        ]
    }

    private var links: [ConsoleLink] {
        func link(_ sentence: Sentence, _ last: String) -> ConsoleLink { ConsoleLink(sentence, to: "\(path)/\(last)") }
        var links: [ConsoleLink] = []
        if desk.may(.readPeople) { links.append(link(Sentence("consoleApp.why"), "why")) }
        if isAlive {
            links.append(link(Sentence("consoleApp.limit"), "limit"))
            if let end = consent?.lastDay, let renewed = consent?.renewalLastDay, renewed > end {
                links.append(link(Sentence("consoleApp.renew"), "renew"))
            }
            links.append(link(Sentence("consoleApp.revoke"), "revoke"))
        }
        if desk.mayEverywhere(.readAudit) {
            links.append(
                ConsoleLink(
                    Sentence("consoleApp.activity"),
                    to: "\(ConsoleSection.activity.path)?\(AppWords.query([("app", "app:\(sharing.appNumber)")]))"))
        }
        return links
    }
}

extension SharingRecord {
    /// What is limited, in a word for each.
    var limits: [Sentence] {
        func limit(_ is: Bool, _ key: String) -> [Sentence] { `is` ? [Sentence("consoleSharing.\(key)")] : [] }
        return limit(locations != nil, "locations") + limit(grades != nil, "grades") + limit(roles != nil, "roles")
            + limit(classes != nil, "classes") + limit(!withheld.isEmpty, "withheld")
            + (leftOut.isEmpty
                ? [] : [Sentence("consoleApp.leftOutCount", ["people": .count(leftOut.count)])])
    }

    static let limitSentences = ["locations", "grades", "roles", "classes", "withheld"].map {
        Sentence("consoleSharing.\($0)")
    }
}
