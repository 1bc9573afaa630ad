import Administration
import ServerPages

/// Where a developer begins: the teams, or how to get one.
package struct PortalStartPage: PortalPage {
    package let portal: Portal
    /// What is offered to somebody who wants another team, or a first one.
    package let ways: WaysIntoTeams

    package init(portal: Portal, ways: WaysIntoTeams) {
        self.portal = portal
        self.ways = ways
    }

    package var section: PortalSection? { nil }
    package var heading: Sentence { Sentence("portalStart.heading") }
    package var lead: Sentence? {
        guard portal.teams.isEmpty else { return Sentence("portalStart.choose") }
        return Sentence(
            ways.founding ? "portalStart.lead" : ways.joining ? "portalStart.joinOnly" : "portalStart.neither")
    }
    package var actions: [ConsoleLink] {
        [PortalEntryPage.Entry.join, .found].filter { $0.isOpen(by: ways) }.map {
            ConsoleLink(Sentence("portalStart.\($0.rawValue)"), to: "\(PortalSection.start)/\($0.rawValue)")
        }
    }

    package var parts: [Part] {
        guard !portal.teams.isEmpty else {
            guard ways.founding || ways.joining else { return [] }
            return [.points(["one", "two", "three"].map { Sentence("portalStart.\($0)") })]
        }
        return [
            .table(
                Table(
                    heading, [.init(Sentence("portalStart.team")), .init(Sentence("portalStart.teamID"))],
                    portal.teams.map { team in
                        .init([
                            .link(team.name, to: "\(PortalSection.start)/teams/\(team.id)/apps", team.badge),
                            .text(team.id),
                        ])
                    }, empty: Sentence("portalStart.lead")))
        ]
    }

    static let sentences = ["one", "two", "three", "lead", "joinOnly", "neither", "choose"].map {
        Sentence("portalStart.\($0)")
    }
}

/// A form with one field: the name of a new team, or the code of an invitation.
package struct PortalEntryPage: PortalPage {
    package enum Entry: String, CaseIterable, Sendable {
        case found, join

        package var field: String { self == .found ? "name" : "code" }

        package func isOpen(by ways: WaysIntoTeams) -> Bool { self == .found ? ways.founding : ways.joining }
    }

    package let portal: Portal
    package let entry: Entry
    package let typed: String
    package let failure: OperationFailure?

    package init(portal: Portal, entry: Entry, typed: String = "", failure: OperationFailure? = nil) {
        self.portal = portal
        self.entry = entry
        self.typed = typed
        self.failure = failure
    }

    package var section: PortalSection? { nil }
    package var heading: Sentence { Sentence("portalStart.\(entry.rawValue)") }
    package var lead: Sentence? { Sentence("portalStart.\(entry.rawValue)Lead") }
    package var parent: ConsoleLink? { ConsoleLink(Sentence("portalStart.heading"), to: PortalSection.start) }
    package var parts: [Part] {
        Part.refusals(failure) + [
            .form(
                ConsoleForm(
                    .init("\(PortalSection.start)/\(entry.rawValue)"),
                    [
                        ConsoleField(
                            entry.field, entry == .join ? .verbatim : .text,
                            Sentence("portalStart.\(entry.rawValue)Field"), value: typed, isRequired: true)
                    ], button: Sentence("portalStart.\(entry.rawValue)"), cancel: .cancel(to: PortalSection.start)))
        ]
    }

    static let sentences = Entry.allCases.flatMap { entry in
        ["", "Lead", "Field"].map { Sentence("portalStart.\(entry.rawValue)\($0)") }
    }
}

extension ConsoleLink {
    /// The way out of a form.
    package static func cancel(to path: String) -> ConsoleLink { ConsoleLink(Sentence("console.cancel"), to: path) }
}
