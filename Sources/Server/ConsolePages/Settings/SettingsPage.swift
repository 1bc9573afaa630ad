import Administration
import Directory
import ServerPages

/// All that is decided about the organization as a whole, each with the page on which it is changed.
package struct SettingsPage: ConsolePage {
    package let desk: Desk
    package let organization: OrganizationRecord

    package init(desk: Desk, organization: OrganizationRecord) {
        self.desk = desk
        self.organization = organization
    }

    package var section: ConsoleSection { .settings }
    package var heading: Sentence { section.label }

    package var parts: [Part] {
        [.links(further)]
            + SettingsTopic.allCases.flatMap { topic -> [Part] in
                [
                    .heading(topic.heading), .facts(organization.facts(of: topic)),
                    .links(
                        [ConsoleLink(Sentence("consoleSettings.change"), to: topic.path)]
                            + furtherLinks(of: topic)),
                ]
            }
    }

    private func furtherLinks(of topic: SettingsTopic) -> [ConsoleLink] {
        switch topic {
        case .name: [ConsoleLink(Sentence("consolePicture.heading"), to: PicturePage.path)]
        // The rule about passwords is one of each location, but people look for it here.
        case .signIn where desk.isSchool && desk.may(.manageLocations):
            [ConsoleLink(Sentence("consoleSettings.passwordPolicies"), to: ConsoleSection.locations.path)]
        default: []
        }
    }

    private var further: [ConsoleLink] {
        // A sandbox has no domains, and gets no mail.
        (desk.isSandbox
            ? []
            : [
                ConsoleLink(Sentence("consoleDomains.heading"), to: DomainsPage.path),
                ConsoleLink(Sentence("consoleRealms.heading"), to: RealmsPage.path),
                ConsoleLink(Sentence("consoleMail.heading"), to: MailPage.path),
            ])
            + (desk.mayEverywhere(.erasePeople)
                ? [
                    ConsoleLink(Sentence("consoleRetention.heading"), to: RetentionPage.path),
                    ConsoleLink(Sentence("consoleHolds.heading"), to: HoldsPage.path),
                ] : [])
            + (desk.mayEverywhere(.manageAPIClients)
                ? [ConsoleLink(Sentence("consoleClients.heading"), to: APIClientsPage.path)] : [])
            + [ConsoleLink(Sentence("consoleRoles.heading"), to: RolesPage.path)]
            // Only Administrators of the whole organization may close it.
            + (desk.wholeRoles.contains(.administrator) && !desk.isSandbox
                ? [ConsoleLink(Sentence("consoleClosing.link"), to: ClosingWords.path)] : [])
    }
}

/// The words of the page on which an organization is closed.
package enum ClosingWords {
    package static let path = "\(ConsoleSection.settings.path)/close"

    package static let parent = ConsoleLink(ConsoleSection.settings.label, to: ConsoleSection.settings.path)
    package static let button = Sentence("consoleClosing.button")
    package static let warning = Sentence("consoleClosing.opened")

    package static func heading(_ organization: OrganizationRecord) -> Sentence {
        Sentence("consoleClosing.heading", ["organization": .text(organization.name)])
    }

    package static func consequences(_ organization: OrganizationRecord) -> [Sentence] {
        [
            Sentence("consoleClosing.people", ["count": .count(organization.people)])
        ]
            + (organization.connectedApps > 0
                ? [Sentence("consoleClosing.apps", ["count": .count(organization.connectedApps)])] : [])
            + [Sentence("consoleClosing.erased")]
    }

    /// - Parameter typed: what was typed before.
    package static func fields(_ organization: OrganizationRecord, typed: [String: String] = [:]) -> [ConsoleField] {
        [
            ConsoleField(
                "days", .number, Sentence("consoleClosing.days"), value: typed["days"] ?? "30",
                hint: Sentence("consoleClosing.daysHint"), isRequired: true),
            ConsoleField(
                "name", .text, Sentence("consoleClosing.name", ["organization": .text(organization.name)]),
                isRequired: true),
        ]
    }

    package static let wrongName = "This is not the name of the organization. Nothing was closed."
}
