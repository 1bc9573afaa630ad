import Administration
import Directory
import Foundation
import ServerPages

/// Whether anything is wrong, and what to do today.
package struct HomePage: ConsolePage {
    package let desk: Desk
    /// Nil for people who may not see the organization's settings.
    package let organization: OrganizationRecord?
    package let findings: [Finding]
    package let due: [DueDate]
    /// What happened on each of the last days; none for people who may not see that.
    package let activity: [ShowActivity.Day]

    package init(
        desk: Desk, organization: OrganizationRecord?, findings: [Finding] = [], due: [DueDate] = [],
        activity: [ShowActivity.Day] = []
    ) {
        self.desk = desk
        self.organization = organization
        self.findings = findings
        self.due = due
        self.activity = activity
    }

    package var section: ConsoleSection { .home }
    package var heading: Sentence { Sentence("consoleHome.heading", ["organization": .text(desk.organization.name)]) }

    package var parts: [Part] {
        guard organization != nil else { return ofPlaces }
        var parts: [Part] = []
        // What is to be done at once comes first, each kind in the order of its list.
        let tasks = tasks
        parts.append(
            tasks.isEmpty ? .text(Sentence("consoleHome.nothing")) : .tasks(tasks))
        let setUp = setUp
        if !setUp.isEmpty {
            parts += [
                .heading(Sentence("consoleHome.setUp"), Sentence("consoleHome.setUpLead")), .tasks(setUp),
            ]
        }
        if let organization {
            parts += [.heading(Sentence("consoleHome.numbers")), .tiles(tiles(of: organization))]
        }
        if !activity.isEmpty { parts.append(.charts(charts)) }
        return parts
    }

    private var tasks: [ToDo] {
        let all = findings.map { $0.task(at: desk) } + DueTask.tasks(for: due).map { $0.toDo(at: desk) }
        return [ToDo.Urgency.danger, .warning, .open].flatMap { urgency in all.filter { $0.urgency == urgency } }
    }

    /// What the page shows to people who look after single places: what they can mend there, if anything is wrong.
    private var ofPlaces: [Part] {
        (findings.isEmpty ? [] : [.tasks(tasks)]) + [
            .text(Sentence("consoleHome.places")),
            .links(desk.sections.filter { $0 != .home }.map { ConsoleLink($0.label, to: $0.path) }),
        ]
    }

    private var charts: [Chart] {
        [Chart(Sentence("consoleChart.signIns"), activity.map { ($0.day, $0.signIns) })]
            + (desk.isSchool
                ? [Chart(Sentence("consoleChart.recordsRead"), activity.map { ($0.day, $0.recordsRead) })] : [])
    }

    private func tiles(of organization: OrganizationRecord) -> [Tile] {
        [
            Tile(
                Sentence("consoleHome.people"), organization.people,
                to: desk.may(.readPeople) ? ConsoleSection.people.path : nil)
        ]
            + (desk.isSchool
                ? [
                    Tile(
                        Sentence("consoleHome.classes"), organization.classes,
                        to: desk.may(.readPeople) ? ConsoleSection.classes.path : nil)
                ] : [])
            + [
                Tile(
                    Sentence("consoleHome.locations"), organization.locations,
                    to: desk.may(.manageLocations) ? ConsoleSection.locations.path : nil)
            ]
            + (desk.isSchool
                ? [
                    Tile(
                        Sentence("consoleHome.apps"), organization.connectedApps,
                        to: desk.mayEverywhere(.shareData) ? ConsoleSection.apps.path : nil)
                ] : [])
    }

    /// The steps of setting an organization up that this person may do; none once all of them are done.
    private var setUp: [ToDo] {
        guard let organization else { return [] }
        // A second Administrator without a password yet is nobody whom the files have brought.
        let hasRecords = desk.isSchool ? organization.classes > 0 : organization.people > organization.administrators
        let all: [(isTheirs: Bool, isDone: Bool, key: String, path: String)] = [
            (desk.mayEverywhere(.importRoster), hasRecords, "import", ConsoleSection.imports.path),
            (
                // A sandbox has no domains.
                !desk.isSandbox && desk.mayEverywhere(.manageOrganization),
                organization.domains.contains { $0.verifiedAt != nil }, "domain",
                ConsoleSection.settings.path
            ),
            (
                desk.wholeRoles.contains(.administrator), organization.administrators > 1, "administrators",
                AddPersonPage.path(for: .administrator)
            ),
            // Only schools have rosters that apps read.
            (
                desk.isSchool && desk.mayEverywhere(.shareData), organization.connectedApps > 0, "connect",
                ConsoleSection.access.path
            ),
        ]
        let steps = all.filter(\.isTheirs)
        guard steps.contains(where: { !$0.isDone }) else { return [] }
        return steps.map { step in
            func words(_ rest: String = "") -> Sentence {
                let key = "consoleHome.\(step.key)\(rest)"
                return step.key == "import" ? desk.sentence(key) : Sentence(key)
            }
            return ToDo(
                step.isDone ? .done : .open, words(), step.isDone ? nil : words("Text"),
                link: step.isDone ? nil : ConsoleLink(Sentence("consoleHome.\(step.key)Link"), to: step.path))
        }
    }

    static let sentences =
        ["import", "domain", "administrators", "connect"].flatMap { key in
            ["", "Text", "Link"].map { Sentence("consoleHome.\(key)\($0)") }
        } + DueTask.sentences
        + Finding.Kind.allCases.filter { $0 != .serverNeedsOperator }.flatMap { kind in
            ["", "Text", "Link"].map { Sentence("consoleFinding.\(kind.key)\($0)") }
        } + ServerTrouble.allCases.map(\.words)
        + ["", "Text"].map { Sentence("consoleFinding.\(Finding.Kind.serverNeedsOperator.key)\($0)") }
}

extension Finding {
    /// With a link to where it is mended, for whoever may go there.
    func task(at desk: Desk) -> ToDo {
        let words: Content = [
            "count": .count(count ?? 0), "day": .day(on?.date ?? .distantPast), "person": .text(fullName ?? ""),
            "app": .text(appName ?? ""), "location": .text(location ?? ""),
        ]
        let urgency: ToDo.Urgency =
            switch kind {
            case .pickUpFailed, .appIsUnreached, .appHasNoKey, .serverNeedsOperator: .danger
            case .accountsAreLocked, .factorsAreMissing, .appIsFailing, .appIsRefused, .consentIsOrphaned,
                .mailIsUndelivered:
                .warning
            }
        let isMany = kind == .accountsAreLocked && (count ?? 0) > Self.lockedMax
        return ToDo(
            urgency,
            isMany
                ? Sentence("consoleFinding.manyAccountsAreLocked", ["count": .count(Self.lockedMax)])
                : trouble?.words ?? Sentence("consoleFinding.\(kind.key)", words),
            Sentence("consoleFinding.\(kind.key)Text"), link: link(at: desk))
    }

    /// Nil for whoever may not go where it is mended.
    private func link(at desk: Desk) -> ConsoleLink? {
        guard let place, desk.sections.contains(place.section) else { return nil }
        return ConsoleLink(Sentence("consoleFinding.\(kind.key)Link"), to: place.path)
    }

    /// The page on which the finding is mended; nil if nothing in the console mends it.
    private var place: (section: ConsoleSection, path: String)? {
        switch kind {
        case .accountsAreLocked: (.people, "\(ConsoleSection.people.path)?state=locked")
        case .factorsAreMissing: (.settings, SettingsTopic.signIn.path)
        case .pickUpFailed: (.imports, pickUp.map { "\(PickUpsPage.path)/\($0)" } ?? PickUpsPage.path)
        case .appIsUnreached, .appIsFailing, .appHasNoKey, .consentIsOrphaned:
            (.apps, app.map { "\(ConsoleSection.apps.path)/\($0)" } ?? ConsoleSection.apps.path)
        case .appIsRefused: (.access, ConsoleSection.access.path)
        case .mailIsUndelivered: (.people, person.map { PersonWords.path(of: $0) } ?? ConsoleSection.people.path)
        case .serverNeedsOperator: nil
        }
    }
}

extension ServerTrouble {
    /// What is wrong.
    fileprivate var words: Sentence { Sentence("consoleFinding.server_\(rawValue.sentenceName)") }
}

extension Finding.Kind {
    fileprivate var key: String { rawValue.sentenceName }
}
