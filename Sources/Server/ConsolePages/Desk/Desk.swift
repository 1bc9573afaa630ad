import Administration
import Directory
import ServerPages

/// What surrounds every page of the console: the organization, who works here, and where they can go.
package struct Desk: Sendable {
    package let organization: Badge
    /// Whether it is a school: classes, terms and grades are absent elsewhere.
    package let isSchool: Bool
    /// Whether it is a team's sandbox: domains and pick-ups are absent there.
    package let isSandbox: Bool
    package let person: SignedInPerson
    /// What the person may do at some place of the organization.
    package let privileges: Set<Privilege>
    /// What the person may do in the whole organization.
    package let wholePrivileges: Set<Privilege>
    /// Whether this is the desk of a teacher, who finds the own classes on it and nothing else.
    package let isTeachers: Bool
    /// The locations that the person may change, beside whoever may change all of them.
    package let managedLocations: Set<LocationID>
    /// The locations whose classes and terms the person may change, beside whoever may change all of them.
    package let classLocations: Set<LocationID>
    /// The roles that the person may give somewhere.
    package let givenRoles: Set<Role>
    /// The roles that the person may give in the whole organization.
    package let wholeRoles: Set<Role>
    /// What was just done, shown once above the page.
    package let notice: Notice?
    /// The path of the page, to which forms of the frame return.
    package let path: String

    /// What was just done.
    package struct Notice: Sendable {
        package let sentence: Sentence
        /// Takes it back; nil if nothing does.
        package let undo: Form?

        package init(_ sentence: Sentence, undo: Form? = nil) {
            self.sentence = sentence
            self.undo = undo
        }
    }

    package init(
        organization: Badge, isSchool: Bool, isSandbox: Bool = false, person: SignedInPerson,
        privileges: Set<Privilege>, wholePrivileges: Set<Privilege>, isTeachers: Bool = false,
        managedLocations: Set<LocationID> = [],
        classLocations: Set<LocationID> = [], givenRoles: Set<Role> = [], wholeRoles: Set<Role>, notice: Notice? = nil,
        path: String
    ) {
        self.organization = organization
        self.isSchool = isSchool
        self.isSandbox = isSandbox
        self.person = person
        self.privileges = privileges
        self.wholePrivileges = wholePrivileges
        self.isTeachers = isTeachers
        self.managedLocations = managedLocations
        self.classLocations = classLocations
        self.givenRoles = givenRoles
        self.wholeRoles = wholeRoles
        self.notice = notice
        self.path = path
    }

    /// Whether the person may do it at some place.
    package func may(_ privilege: Privilege) -> Bool { privileges.contains(privilege) }

    /// Whether the person may do it in the whole organization.
    package func mayEverywhere(_ privilege: Privilege) -> Bool { wholePrivileges.contains(privilege) }

    /// Whether locations can be removed and restored here. They can by somebody who looks after all of them. Whoever looks after
    /// one holds a role there, and a location at which somebody holds a role is not removed.
    package var mayRemoveLocations: Bool { mayEverywhere(.manageLocations) }

    package func mayChange(_ location: LocationRecord) -> Bool {
        mayEverywhere(.manageLocations) || managedLocations.contains(LocationID(rawValue: location.number))
    }

    /// - Parameter location: `LO:` and a number; nil for all places.
    func managesClasses(at location: String?) -> Bool {
        mayEverywhere(.manageClasses) || classLocations.contains { "LO:\($0.rawValue)" == location }
    }

    private var kind: Organization.Kind { isSchool ? .school : .business }

    /// The sentence with this key, or the one that says the same without classes and pupils in a business.
    func sentence(_ key: String) -> Sentence { Sentence(isSchool ? key : "\(key)OfBusiness") }

    static let sentences = [
        "consoleHome.import", "consoleHome.importText", "consoleImports.none", "consoleImports.takeBackStays",
        "consoleLocations.lead", "consoleLocations.removeText", "consoleLocations.removeSeveralText",
        "consolePasswords.everybody",
        "consolePasswords.file_slipsText", "consolePasswords.lettersText", "consolePasswords.replaceText",
    ].flatMap { [Sentence($0), Sentence("\($0)OfBusiness")] }

    /// The privileges that there are something for in the organization.
    var usedPrivileges: [Privilege] {
        Privilege.allCases.filter {
            Privilege.ofOrganizations.contains($0) && (isSchool || ![.manageClasses, .shareData].contains($0))
        }
    }

    /// The roles that people of the organization can have.
    var roles: [Role] { Role.allCases.filter { $0.isOffered(by: kind) } }

    /// What can be on the organization's audit trail.
    var actions: [AuditEntry.Action] { AuditEntry.Action.allCases.filter { $0.isPossible(in: kind) } }

    var sections: [ConsoleSection] {
        isTeachers
            ? [.home]
            : ConsoleSection.allCases.filter {
                // Only schools have classes, and rosters that apps read.
                !$0.privileges.isDisjoint(with: $0.isOfWhole ? wholePrivileges : privileges)
                    && (isSchool || ![.classes, .apps].contains($0))
            }
    }

    package func frame(in section: ConsoleSection) -> Frame {
        Frame(
            house: organization, person: person,
            places: sections.map {
                Frame.Place(label: $0.label, path: $0.path, icon: $0.icon, isCurrent: $0 == section)
            }, hasSearch: may(.readPeople), commands: commands, notice: notice)
    }
}
