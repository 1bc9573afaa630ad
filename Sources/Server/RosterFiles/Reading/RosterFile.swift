import Directory

/// The six files of a roster exchange, in the order in which they are read: each refers only to those before it.
/// Apple School Manager, "Use templates to import data with SFTP". A business has staff.csv alone.
package enum RosterFile: String, CaseIterable, Codable, Sendable {
    case locations
    case students
    case staff
    case courses
    case classes
    case rosters

    package var name: String { rawValue + ".csv" }

    /// The files that an import of an organization takes.
    package static func files(of kind: Organization.Kind) -> [RosterFile] {
        switch kind {
        case .school: allCases
        case .business: [.staff]
        }
    }

    package init?(named name: String) {
        guard let file = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = file
    }

    /// The columns in the order in which exports write them. Reading uses the names in the header.
    package var columns: [RosterColumn] {
        switch self {
        case .locations: [.locationID, .locationName]
        case .students:
            [
                .personID, .locationID, .firstName, .lastName, .middleName, .personNumber, .gradeLevel, .emailAddress,
                .sisUsername, .passwordPolicy,
            ]
        case .staff:
            [
                .personID, .personNumber, .firstName, .middleName, .lastName, .emailAddress, .sisUsername, .locationID,
            ]
        case .courses: [.courseID, .courseNumber, .courseName, .locationID]
        case .classes: [.classID, .classNumber, .courseID, .instructorID, .locationID, .classDisplayName]
        case .rosters: [.rosterID, .classID, .studentID]
        }
    }

    /// Whether the header must have the column. Treating an absent column as blank would empty the field for everybody.
    /// All are required but the display name, which the template lacks and an older guide has.
    package func needs(_ column: RosterColumn) -> Bool { column != .classDisplayName }

    /// Whether each row must fill the column.
    package func requires(_ column: RosterColumn) -> Bool {
        switch column {
        case .locationID, .locationName, .personID, .firstName, .lastName, .courseID, .classID, .rosterID, .studentID:
            true
        case .middleName, .personNumber, .gradeLevel, .emailAddress, .sisUsername, .passwordPolicy, .courseNumber,
            .courseName, .classNumber, .classDisplayName, .instructorID:
            false
        }
    }

    /// The columns that an organization of this kind may leave out, in the header and in each row, although
    /// ``requires(_:)`` has them: people of a business can be at no place but the business itself.
    func columnsLeftOut(by kind: Organization.Kind) -> Set<RosterColumn> {
        self == .staff && kind == .business ? [.locationID] : []
    }

    /// The highest number in the name of a repeated column such as `location_id_2`; 1 for columns that are not
    /// repeated.
    package func seriesMax(of column: RosterColumn) -> Int {
        switch (self, column) {
        case (.students, .locationID), (.staff, .locationID): 999
        case (.classes, .instructorID): 15
        default: 1
        }
    }
}
