import Foundation
import RosterFiles

/// The six files of a small school, one line a record.
package struct RosterTexts: Sendable {
    package var locations = ["L-1,Maple Elementary"]
    package var students = ["S-1,L-1,Ana,Núñez,,,4,,,", "S-2,L-1,Bo,Berg,,,4,,,"]
    package var staffColumns =
        "person_id,person_number,first_name,middle_name,last_name,email_address,sis_username,location_id"
    package var staff = ["T-1,,Tess,,Teacher,,,L-1"]
    package var courses = ["C-1,1,Art,L-1"]
    package var classes = ["K-1,1,C-1,T-1,L-1"]
    package var rosters = ["1,K-1,S-1", "2,K-1,S-2"]

    package init() {}

    package var files: [String: [String]] {
        [
            "locations.csv": ["location_id,location_name"] + locations,
            "students.csv": [
                "person_id,location_id,first_name,last_name,middle_name,person_number,grade_level,email_address,"
                    + "sis_username,password_policy"
            ] + students,
            "staff.csv": [staffColumns] + staff,
            "courses.csv": ["course_id,course_number,course_name,location_id"] + courses,
            "classes.csv": ["class_id,class_number,course_id,instructor_id,location_id"] + classes,
            "rosters.csv": ["roster_id,class_id,student_id"] + rosters,
        ]
    }

    /// As a ZIP archive.
    package func archive() throws -> Data {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("roster-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, lines) in files {
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: folder.appendingPathComponent(name))
        }
        let package = try RosterPackage(at: folder.path)
        return try package.part(at: 0, bytesMax: package.bytes)
    }
}
