import LanyardHummingbird

/// A signed-in person in the roster of their school. Sign-in and roster have the same id for a person.
struct Member {
    let id: String
    let person: Person
    let connection: Connection
    private let roster: Roster

    /// Nil for personal accounts, for people of another organization, and for those who are not in the roster.
    init?(_ person: SignedInPerson?, of connection: Connection) {
        guard let person, person.organizationID == connection.organizationID, let roster = connection.roster,
            let row = roster.people[person.id]
        else { return nil }
        (self.id, self.person, self.connection, self.roster) = (person.id, row, connection, roster)
    }

    var isStaff: Bool { person.isStaff == true }
    var isAdministrator: Bool { person.isAdministrator == true }

    var classesTaught: [(id: String, rosterClass: SchoolClass)] {
        classes { $0.teacherIDs.contains(id) }
    }

    var classesAttended: [(id: String, rosterClass: SchoolClass)] {
        classes { $0.pupilIDs.contains(id) && !$0.teacherIDs.contains(id) }
    }

    private func classes(where isIncluded: (SchoolClass) -> Bool) -> [(id: String, rosterClass: SchoolClass)] {
        roster.classes.filter { isIncluded($0.value) }
            .sorted { inReadingOrder($0.value.name, $1.value.name, then: $0.key < $1.key) }
            .map { ($0.key, $0.value) }
    }
}
