import Directory

/// What a caller may do. Each ``Operation`` needs one privilege, and each role has some.
///
/// docs/specifications/administration.md has the table of roles and privileges, and says which rules are Apple's and
/// which are ours.
package enum Privilege: String, Codable, Sendable, CaseIterable {
    case readPeople = "people.read"
    /// Creating, editing and deactivating accounts, and giving roles.
    case managePeople = "people.manage"
    /// Merging and erasing people's records, the retention rules that erase them, and the legal holds that keep them.
    case erasePeople = "people.erase"
    case issuePasswords = "passwords.issue"
    case manageClasses = "classes.manage"
    case manageLocations = "locations.manage"
    case manageOrganization = "organization.manage"
    case importRoster = "roster.import"
    case manageSignInApps = "sign-in-apps.manage"
    case shareData = "data-sharing.manage"
    case readAudit = "audit.read"
    case manageDevices = "devices.manage"
    case manageAPIClients = "api-clients.manage"
    /// Making a team of app developers, where the server lets people, and joining one that has invited the person.
    case joinTeams = "teams.join"
    /// A team's name, members, keys and senders.
    case manageTeams = "teams.manage"
    /// A team's apps, with their clients and notifications.
    case manageApps = "apps.manage"
    /// Whatever concerns the server as a whole. Only its operator has this privilege.
    case operateServer = "server.operate"
}

extension Privilege {
    /// The privileges of members of teams, which no role gives.
    package static let ofTeams: Set<Privilege> = [.joinTeams, .manageTeams, .manageApps]

    /// The privileges that count in an organization. Roles give them, and programs can have them.
    package static let ofOrganizations = Set(allCases).subtracting(ofTeams).subtracting([.operateServer])
}

extension Privilege {
    /// Whether it counts over single people: whoever has it must also manage the roles that they hold.
    var isOverPeople: Bool { [.managePeople, .erasePeople, .issuePasswords].contains(self) }

    /// What the privilege allows, for the person who gives it to a program.
    package var explanation: String {
        switch self {
        case .readPeople: "Read people, with all that administrators see of them."
        case .managePeople: "Make, edit and deactivate accounts, and give roles."
        case .erasePeople: "Merge and erase records of people."
        case .issuePasswords: "Give passwords, unlock accounts and sign people out."
        case .manageClasses: "Make, edit and archive classes."
        case .manageLocations: "Make and edit locations."
        case .manageOrganization: "Change the organization's settings and domains."
        case .importRoster: "Import people and classes from files."
        case .manageSignInApps: "Decide which apps people may sign in to."
        case .shareData: "Decide which apps read people and classes."
        case .readAudit: "Read the audit trail."
        case .manageDevices: "Manage registered devices."
        case .manageAPIClients: "Let programs administrate the organization."
        case .joinTeams: "Make a team of app developers, and join one."
        case .manageTeams: "Manage the name, members, keys and senders of teams."
        case .manageApps: "Manage the apps of teams."
        case .operateServer: "What concerns the server as a whole. No program gets it."
        }
    }
}

extension Role {
    /// The privileges that the role gives, at the place where it is held, unless the organization has changed them: see
    /// ``RolePrivileges``.
    package var usualPrivileges: Set<Privilege> {
        switch self {
        case .administrator, .siteManager: Privilege.ofOrganizations
        case .peopleManager:
            [
                .readPeople, .managePeople, .erasePeople, .issuePasswords, .manageClasses, .manageLocations,
                .manageOrganization, .importRoster, .manageSignInApps,
            ]
        case .manager: [.readPeople, .managePeople, .issuePasswords, .manageClasses]
        // Only for the pupils whom they teach, see ``Authority/Standing/teacher``.
        case .instructor: [.readPeople, .issuePasswords]
        case .deviceEnrollmentManager: [.manageDevices]
        case .contentManager, .staff, .student: []
        }
    }

    /// The privileges that an organization may give the role, or take from it. An Administrator keeps all, so that somebody
    /// can always give them back. Reading people belongs to each role with which one looks after people. Who decides about
    /// the organization as a whole and about apps is fixed too: people who may not sign in to an app are told whom to ask by
    /// their roles.
    package var optionalPrivileges: Set<Privilege> {
        let fixed: Set<Privilege> = [.readPeople, .manageOrganization, .manageSignInApps, .shareData]
        return switch self {
        case .siteManager: usualPrivileges.subtracting(fixed)
        case .peopleManager: usualPrivileges.union([.readAudit, .manageDevices]).subtracting(fixed)
        case .manager: usualPrivileges.union([.manageLocations, .readAudit, .manageDevices]).subtracting(fixed)
        case .instructor: [.issuePasswords]
        case .administrator, .deviceEnrollmentManager, .contentManager, .staff, .student: []
        }
    }

    /// The roles of the accounts that this role may create and change, and for which it may issue passwords, unless the
    /// organization has changed what roles may do: see ``RolePrivileges/managedRoles(of:)``.
    package var managedRoles: Set<Role> {
        switch self {
        case .administrator: Set(Role.allCases)
        case .siteManager, .peopleManager: Set(Role.allCases).subtracting([.administrator])
        case .manager: [.instructor, .staff, .student]
        case .instructor: [.student]
        case .deviceEnrollmentManager, .contentManager, .staff, .student: []
        }
    }
}

extension Set<Privilege> {
    /// - Parameter text: names, separated by spaces. Privileges that no longer exist are left out.
    init(stored text: String) {
        self = Set(text.split(separator: " ").compactMap { Privilege(rawValue: String($0)) })
    }

    /// - Parameter text: names, separated by spaces.
    /// - Returns: nil if one of the names is not a privilege.
    init?(exactly text: String) {
        let names = Set<Substring>(text.split(separator: " "))
        self.init(stored: text)
        guard count == names.count else { return nil }
    }

    /// The names, separated by spaces.
    package var text: String { map(\.rawValue).sorted().joined(separator: " ") }

    /// In the order of their names.
    package var inOrder: [Privilege] { sorted { $0.rawValue < $1.rawValue } }
}
