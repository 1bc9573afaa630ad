/// A column of the six files. One name means the same in every file that has it.
package enum RosterColumn: Int, CaseIterable, Sendable {
    case locationID, locationName
    case personID, personNumber, firstName, middleName, lastName, gradeLevel, emailAddress, sisUsername, passwordPolicy
    case courseID, courseNumber, courseName
    case classID, classNumber, classDisplayName, instructorID
    case rosterID, studentID

    package var name: String {
        switch self {
        case .locationID: "location_id"
        case .locationName: "location_name"
        case .personID: "person_id"
        case .personNumber: "person_number"
        case .firstName: "first_name"
        case .middleName: "middle_name"
        case .lastName: "last_name"
        case .gradeLevel: "grade_level"
        case .emailAddress: "email_address"
        case .sisUsername: "sis_username"
        case .passwordPolicy: "password_policy"
        case .courseID: "course_id"
        case .courseNumber: "course_number"
        case .courseName: "course_name"
        case .classID: "class_id"
        case .classNumber: "class_number"
        case .classDisplayName: "class_display_name"
        case .instructorID: "instructor_id"
        case .rosterID: "roster_id"
        case .studentID: "student_id"
        }
    }

    package var rule: ValueRule {
        switch self {
        case .locationID, .personID, .courseID, .classID, .instructorID, .rosterID, .studentID: .identifier
        case .locationName, .firstName, .middleName, .lastName, .courseName, .classDisplayName: .text(bytesMax: 1_024)
        case .personNumber, .gradeLevel, .sisUsername, .courseNumber, .classNumber: .text(bytesMax: 256)
        case .emailAddress: .emailAddress
        case .passwordPolicy: .passwordPolicy
        }
    }
}
