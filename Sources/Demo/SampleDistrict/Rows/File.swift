extension SampleDistrict {
    /// One of the six files of an upload.
    package enum File: String, CaseIterable, Sendable {
        case locations
        case students
        case staff
        case courses
        case classes
        case rosters

        /// The exact name that an import expects, such as `students.csv`.
        package var name: String {
            "\(rawValue).csv"
        }

        /// The header row, in the order of Apple's present templates.
        package var columns: [String] {
            switch self {
            case .locations:
                ["location_id", "location_name"]
            case .students:
                [
                    "person_id", "location_id", "first_name", "last_name", "middle_name", "person_number",
                    "grade_level", "email_address", "sis_username", "password_policy", "location_id_2",
                ]
            case .staff:
                [
                    "person_id", "person_number", "first_name", "middle_name", "last_name", "email_address",
                    "sis_username", "location_id", "location_id_2",
                ]
            case .courses:
                ["course_id", "course_number", "course_name", "location_id"]
            case .classes:
                [
                    "class_id", "class_number", "course_id", "instructor_id", "instructor_id_2", "instructor_id_3",
                    "location_id", "class_display_name",
                ]
            case .rosters:
                ["roster_id", "class_id", "student_id"]
            }
        }
    }
}
