import Directory
import Storage

/// The fields of a staged person that a user-name format can use.
struct StagedPerson {
    private let values: [UserNameFormat.Block: String]

    init(_ row: Row) throws {
        var values: [UserNameFormat.Block: String] = [:]
        values[.personID] = try row["source_id"]
        values[.firstName] = try row["given_name"]
        values[.middleName] = try row["middle_name"]
        values[.lastName] = try row["family_name"]
        values[.personNumber] = try row["person_number"]
        values[.sisUserName] = try row["sis_username"]
        values[.email] = try row["email"]
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
