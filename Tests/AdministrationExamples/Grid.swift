import Administration
import Directory

/// Who may do what, as the grid of docs/specifications/administration.md says it, written out once more so that a slip
/// in the one does not pass for the other.
package enum Grid {
    private static let managers: Set<Role> = [.administrator, .siteManager, .peopleManager, .manager]

    /// The roles whose holders may do it to a pupil at their own place.
    package static func allowedAtOwnPlace(_ operation: String) -> Set<Role> {
        switch operation {
        case "person.add", "person.deactivate", "person.reactivate", "person.role.add", "person.role.remove",
            "person.edit", "person.rename":
            managers
        case "person.merge", "person.separate", "person.erase", "hold.add", "hold.end": managers.subtracting([.manager])
        case "person.passwords": managers.union([.instructor])
        case "term.list", "term.add", "term.edit", "term.close", "term.reopen", "class.add", "class.edit",
            "class.archive", "class.restore", "class.remove":
            managers
        case "location.edit", "location.show": managers.subtracting([.manager])
        case "location.list", "class.show", "class.list": managers.union([.instructor])
        // A role at the pupil's place is enough to ask who has read about the pupil, and not for the trail itself.
        case "audit.readers", "person.data": [.administrator, .siteManager]
        case "device.list", "device.show", "device.code", "device.remove", "device.profile":
            [.administrator, .siteManager, .deviceEnrollmentManager]
        // Everybody but pupils joins a team with the code of an invitation. No role gives anything else in a team.
        case "team.join": Set(Role.allCases).subtracting([.student])
        case "finding.list", "person.show", "person.list", "person.why", "person.password", "person.sign-out",
            "person.unlock",
            "person.reset-factors", "person.sign-ins":
            managers.union([.instructor])
        default: []
        }
    }

    /// The roles whose holders may do it with a role at another place than the pupil's. A list is not refused, but has
    /// only what they may see; a team and a profile are no place's.
    package static func allowedAtAnotherPlace(_ operation: String) -> Set<Role> {
        let isOfNoPlace = [
            ListPeople.name, ListClasses.name, ListLocations.name, ListTerms.name, JoinTeam.name,
            ShowSignOnProfile.name, ListFindings.name,
        ].contains(operation)
        return isOfNoPlace ? allowedAtOwnPlace(operation) : []
    }

    /// The roles that a holder of each role manages (section 1 of the specification).
    package static let managed: [Role: Set<Role>] = [
        .administrator: [
            .administrator, .siteManager, .peopleManager, .deviceEnrollmentManager, .contentManager, .manager,
            .instructor, .staff, .student,
        ],
        .siteManager: [
            .siteManager, .peopleManager, .deviceEnrollmentManager, .contentManager, .manager, .instructor, .staff,
            .student,
        ],
        .peopleManager: [
            .siteManager, .peopleManager, .deviceEnrollmentManager, .contentManager, .manager, .instructor, .staff,
            .student,
        ],
        .deviceEnrollmentManager: [],
        .contentManager: [],
        .manager: [.instructor, .staff, .student],
        .instructor: [.student],
        .staff: [],
        .student: [],
    ]

    /// The roles whose holders may do it to the whole organization, if they hold the role for all of it.
    package static func allowedOnAll(_ operation: String) -> Set<Role> {
        if [ReopenOrganization.name, ReplayErasures.name, VerifyDomain.name].contains(operation) { return [] }
        // Who decides whom tickets sign in could be signed in as an Administrator.
        if [CloseOrganization.name, SetRealm.name, RemoveRealm.name].contains(operation) { return [.administrator] }
        if operation == ListDueDates.name
            || [
                "activity.", "domain.", "erasure.", "hold.", "id-map.", "import.", "mail.", "organization.",
                "pick-up.", "realm.", "retention.", "role.",
            ]
            .contains(
                where: operation.hasPrefix)
        {
            return [.administrator, .siteManager, .peopleManager]
        }
        // Rules about apps hold for all places, and a People Manager decides only to which apps people sign in.
        if operation.hasPrefix("access.sign-in.") { return [.administrator, .siteManager, .peopleManager] }
        if operation.hasPrefix("access.") { return [.administrator, .siteManager] }
        // A new location is the whole organization's. So is one that goes, as long as nobody may have a role there.
        if [AddLocation.name, RemoveLocation.name, RestoreLocation.name].contains(operation) {
            return allowedAtOwnPlace(EditLocation.name)
        }
        let isOfTrail = operation.hasPrefix("audit.") && operation != ListReaders.name
        return isOfTrail || ["api-client.", "change.", "consent.", "sharing."].contains { operation.hasPrefix($0) }
            ? [.administrator, .siteManager] : allowedAtOwnPlace(operation)
    }
}
