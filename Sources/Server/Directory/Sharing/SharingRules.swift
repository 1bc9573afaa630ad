/// What an organization shows one app of its roster. A limit that is nil lets everything through; an empty one nothing.
///
/// This is the rule itself, about one record at a time. ``SharingFilter`` asks the same of a database, about all
/// records at once; a test compares the two.
package struct SharingRules: Equatable, Sendable {
    /// The places whose roles and classes are shared. ``LocationID/none`` stands for the organization itself, at which
    /// roles can be held too: it is a place like the others, and covers none of them.
    package var locations: Set<LocationID>?
    /// The grades whose pupils are shared. People who are no pupils have none, and are not limited by it.
    package var grades: Set<String>?
    package var roles: Set<RosterRole>?
    /// The classes that are shared. Their members are shared too, and nobody else.
    package var classes: Set<ClassID>?
    /// The fields that are not shared.
    package var withheld: Set<SharedField>
    /// People who are not shared, whatever else is said.
    package var leftOut: Set<PersonID>

    package init(
        locations: Set<LocationID>? = nil, grades: Set<String>? = nil, roles: Set<RosterRole>? = nil,
        classes: Set<ClassID>? = nil, withheld: Set<SharedField> = [], leftOut: Set<PersonID> = []
    ) {
        self.locations = locations
        self.grades = grades
        self.roles = roles
        self.classes = classes
        self.withheld = withheld
        self.leftOut = leftOut
    }

    /// Everything is shared.
    package static let none = SharingRules()
}

extension SharingRules {
    /// A person, as far as rules ask.
    package struct Subject: Sendable {
        package let id: PersonID
        package let grade: String?
        package let roles: [RosterPerson.RoleAtPlace]
        /// The classes in which the person teaches or learns, but for archived ones.
        package let classes: [ClassSubject]

        package init(
            id: PersonID, grade: String?, roles: [RosterPerson.RoleAtPlace], classes: [ClassSubject]
        ) {
            self.id = id
            self.grade = grade
            self.roles = roles
            self.classes = classes
        }
    }

    /// A class, as far as rules ask.
    package struct ClassSubject: Sendable {
        package let id: ClassID
        package let location: LocationID?

        package init(id: ClassID, location: LocationID?) {
            self.id = id
            self.location = location
        }
    }

    package func shares(_ field: SharedField) -> Bool { !withheld.contains(field) }

    package func shares(_ subject: ClassSubject) -> Bool {
        classes?.contains(subject.id) != false && shares(subject.location)
    }

    /// A role is shared with its place. The role of a pupil is shared if the grade is.
    package func shares(_ held: RosterPerson.RoleAtPlace, of person: Subject) -> Bool {
        shares(held.location) && shares(memberAs: held.role, grade: person.grade)
    }

    /// Whether the app sees the person. If roles, places or grades are limited, that takes a role that is shared.
    package func shares(_ person: Subject) -> Bool {
        if leftOut.contains(person.id) { return false }
        if limitsRoles, !person.roles.contains(where: { shares($0, of: person) }) { return false }
        return classes == nil || person.classes.contains { shares($0) }
    }

    /// Whether the app sees, in a class that it sees, that somebody is in it in this role. It must see the person too.
    package func shares(memberAs role: RosterRole, grade: String?) -> Bool {
        guard roles?.contains(role) != false else { return false }
        guard role == .student, let grades else { return true }
        return grade.map(grades.contains) ?? false
    }

    private var limitsRoles: Bool { roles != nil || locations != nil || grades != nil }

    private func shares(_ location: LocationID?) -> Bool { locations?.contains(location ?? .none) != false }
}
