import Directory
import Storage

/// The fields of a staged person that a user-name format can use.
struct StagedPerson {
    private let values: [UserNameFormat.Block: String]

    init(_ row: Row) throws {
        var values: [UserNameFormat.Block: String] = [:]
        values[.personID] = try row[3]
        values[.firstName] = try row[4]
        values[.middleName] = try row[5]
        values[.lastName] = try row[6]
        values[.personNumber] = try row[7]
        values[.sisUserName] = try row[8]
        values[.email] = try row[9]
        values[.firstInitial] = values[.firstName]
        values[.middleInitial] = values[.middleName]
        values[.lastInitial] = values[.lastName]
        self.values = values
    }

    func value(_ block: UserNameFormat.Block) -> String? { values[block] }
}

extension UserNameFormat.Block {
    /// The column that fills this block of the format.
    var column: RosterColumn {
        switch self {
        case .firstName, .firstInitial: .firstName
        case .middleName, .middleInitial: .middleName
        case .lastName, .lastInitial: .lastName
        case .personID: .personID
        case .personNumber: .personNumber
        case .sisUserName: .sisUsername
        case .email: .emailAddress
        }
    }
}
