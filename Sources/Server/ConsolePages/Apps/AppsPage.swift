import Administration
import Directory
import Foundation
import ServerPages

/// The apps that read people and classes, or have read them.
package struct AppsPage: ConsolePage {
    package let desk: Desk
    package let consents: [ConsentRecord]
    /// Whether the page shows the consents that have ended, in place of those that are in force.
    package let showsEnded: Bool
    package let term: String

    package init(desk: Desk, consents: [ConsentRecord], showsEnded: Bool, term: String) {
        self.desk = desk
        self.consents = consents
        self.showsEnded = showsEnded
        self.term = term
    }

    package static let termPath = "\(ConsoleSection.apps.path)/term"
    private static let endedPath = "\(ConsoleSection.apps.path)?ended=yes"

    package var section: ConsoleSection { .apps }
    package var heading: Sentence { showsEnded ? Sentence("consoleApps.endedHeading") : section.label }
    package var parent: ConsoleLink? { showsEnded ? ConsoleLink(section.label, to: section.path) : nil }
    package var lead: Sentence? { showsEnded ? nil : Sentence("consoleApps.lead") }
    package var actions: [ConsoleLink] {
        showsEnded || !desk.may(.shareData)
            ? [] : [ConsoleLink(Sentence("consoleApps.connect"), to: AccessTopic.dataSharing.addPath)]
    }

    package var parts: [Part] {
        guard !showsEnded else { return [.table(table)] }
        return [
            .table(table),
            .links([
                ConsoleLink(Sentence("consoleApps.ended"), to: Self.endedPath),
                ConsoleLink(Sentence("consoleApps.term"), to: Self.termPath),
            ]),
        ]
    }

    private var table: Table {
        Table(
            heading,
            [
                .init(Sentence("consoleAccess.app")), .init(Sentence("consoleApp.scopes")),
                .init(Sentence("consoleApp.grantedAt")), .init(Sentence("consoleApp.lastRead")),
                .init(Sentence("consoleApp.recordsRead"), isNumber: true), .init(Sentence("consoleApp.end")),
                .init(Sentence("consoleApp.state")),
            ],
            consents.map { consent in
                .init([
                    .link(
                        consent.app, to: AppWords.path(of: consent.appNumber),
                        AppWords.badge(consent.app, consent.clientID)),
                    .chips(AppWords.scopes(consent.scopes)), .day(consent.grantedAt),
                    consent.lastReadAt.map(Cell.day) ?? .sentence(Sentence("consoleApp.never")),
                    .count(consent.recordsRead), consent.end, consent.state,
                ])
            },
            empty: Sentence(showsEnded ? "consoleApps.noneEnded" : "consoleApps.none"),
            emptyLink: showsEnded
                ? nil : ConsoleLink(Sentence("consoleApps.connect"), to: AccessTopic.dataSharing.addPath))
    }
}

extension ConsentRecord {
    /// The last day of the consent.
    var end: Cell { lastDay.map { .day($0.date) } ?? .sentence(Sentence("consoleApp.noEnd")) }

    var state: Cell {
        if revokedAt != nil { return .mark(.notice, Sentence(hasRunOut ? "consoleApp.ranOut" : "consoleApp.revoked")) }
        return refusal == nil
            ? .mark(.success, Sentence("consoleApp.reads")) : .mark(.warning, Sentence("consoleApp.stopped"))
    }
}
