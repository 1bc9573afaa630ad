import Administration
import ServerPages

extension Desk {
    /// The pages below the sections that the palette offers: those on which the person may do something.
    var commands: [ConsoleLink] {
        guard !isTeachers else { return [] }
        let all: [(Privilege, Sentence, String, isSchools: Bool)] = [
            (.managePeople, Sentence("consolePeople.add"), AddPersonPage.path, false),
            (.issuePasswords, Sentence("consolePeople.passwords"), GivePasswordsPage.path, false),
            (.manageClasses, Sentence("consoleClasses.add"), "\(ConsoleSection.classes.path)/add", true),
            (.manageClasses, Sentence("consoleTerms.heading"), TermsPage.path, true),
            (.manageLocations, Sentence("consoleLocations.add"), "\(ConsoleSection.locations.path)/add", false),
            (.importRoster, Sentence("consoleImports.upload"), "\(ConsoleSection.imports.path)/upload", false),
            (.importRoster, Sentence("consolePickUps.heading"), PickUpsPage.path, false),
            (.importRoster, Sentence("consoleIDMaps.heading"), IDMapPage.path, true),
            (.shareData, Sentence("consoleApps.connect"), AccessTopic.dataSharing.addPath, true),
            (.manageDevices, Sentence("consoleDevices.code"), "\(ConsoleSection.devices.path)/code", false),
            (.manageDevices, Sentence("consoleDevices.profile"), "\(ConsoleSection.devices.path)/profile", false),
            (.readAudit, Sentence("consoleActivity.export"), "\(ConsoleSection.activity.path)/export", false),
            (.readAudit, Sentence("consoleActivity.changes"), "\(ConsoleSection.activity.path)/changes", false),
            (.manageOrganization, Sentence("consoleDomains.heading"), DomainsPage.path, false),
            (.manageOrganization, Sentence("consoleRealms.heading"), RealmsPage.path, false),
            (.manageOrganization, Sentence("consoleMail.heading"), MailPage.path, false),
            (.erasePeople, Sentence("consoleRetention.heading"), RetentionPage.path, false),
            (.erasePeople, Sentence("consoleHolds.heading"), HoldsPage.path, false),
            (.manageAPIClients, Sentence("consoleClients.heading"), APIClientsPage.path, false),
            (.manageOrganization, Sentence("consoleRoles.heading"), RolesPage.path, false),
        ]
        return AccessTopic.open(to: self).map { ConsoleLink($0.heading, to: $0.path) }
            + all.filter {
                isOpen($0.0) && (isSchool || !$0.isSchools) && !(isSandbox && Self.absentInSandboxes.contains($0.2))
            }
            .map { ConsoleLink($0.1, to: $0.2) }
            + (mayEverywhere(.manageOrganization)
                ? SettingsTopic.allCases.map { ConsoleLink($0.heading, to: $0.path) } : [])
    }

    private static let absentInSandboxes: Set = [
        PickUpsPage.path, DomainsPage.path, RealmsPage.path, MailPage.path, IDMapPage.path, ClosingWords.path,
        SignOnProfilePage.path,
    ]

    /// People, classes and devices belong to places, so that a privilege at one place is enough for their pages. All
    /// other pages are about the whole organization.
    private func isOpen(_ privilege: Privilege) -> Bool {
        let ofPlaces: Set<Privilege> = [.managePeople, .issuePasswords, .manageClasses, .manageDevices]
        return ofPlaces.contains(privilege) ? may(privilege) : mayEverywhere(privilege)
    }
}
