import Testing

@testable import TestServers

/// The files of a school's information system, which knows what the administration knows of its pupils, and has classes
/// of its own.
struct SchoolFiles {
    struct Pupil {
        let id: String
        let firstName: String
        let lastName: String
        var grade: String
        let email: String
        /// `north` or `south`.
        let place: String
    }

    struct Timetabled {
        let id: String
        let name: String
        let place: String
        let students: [String]
    }

    var pupils: [Pupil]
    var classes: [Timetabled]

    /// - Parameter people: as the administration API has them.
    init(_ people: [[String: Any]], classes: [Timetabled]) throws {
        pupils = try people.compactMap { person in
            guard let id = person["personID"] as? String else { return nil }
            let roles = person["roles"] as? [[String: Any]] ?? []
            try #require(roles.count == 1, "\(id) has one role")
            return Pupil(
                id: id, firstName: person["firstName"] as? String ?? "", lastName: person["lastName"] as? String ?? "",
                grade: person["grade"] as? String ?? "", email: person["email"] as? String ?? "",
                place: Self.id(ofPlace: roles[0]["location"] as? String ?? ""))
        }
        self.classes = classes
    }

    /// The `location_id` of `Maple North`.
    static func id(ofPlace name: String) -> String { name.suffix(5).lowercased() }

    /// The same files without some of the pupils.
    func without(_ ids: some Sequence<String>) -> SchoolFiles {
        let gone = Set(ids)
        var files = self
        files.pupils.removeAll { gone.contains($0.id) }
        return files
    }

    /// A ZIP archive, in base64.
    func archive() throws -> String {
        let ids = Set(pupils.map(\.id))
        let courses = classes.map { "c-\($0.id),,\($0.name),\($0.place)\n" }
        let memberships = classes.flatMap { timetabled in
            timetabled.students.filter(ids.contains).map { "r-\(timetabled.id)-\($0),\(timetabled.id),\($0)\n" }
        }
        return try RosterArchive.packed([
            "locations.csv": "location_id,location_name\nnorth,Maple North\nsouth,Maple South\n",
            "students.csv":
                "person_id,location_id,first_name,last_name,middle_name,person_number,grade_level,email_address,"
                + "sis_username,password_policy\n"
                + pupils.map { "\($0.id),\($0.place),\($0.firstName),\($0.lastName),,,\($0.grade),\($0.email),,\n" }
                .joined(),
            "staff.csv":
                "person_id,person_number,first_name,middle_name,last_name,email_address,sis_username,location_id\n",
            "courses.csv": "course_id,course_number,course_name,location_id\n" + courses.joined(),
            "classes.csv": "class_id,class_number,course_id,instructor_id,location_id\n"
                + classes.map { "\($0.id),,c-\($0.id),,\($0.place)\n" }.joined(),
            "rosters.csv": "roster_id,class_id,student_id\n" + memberships.joined(),
        ])
    }
}
