import Foundation
import Storage

extension GlobalOptions {
    /// The options with which another command finds the same data and the same organization, to be copied into a shell.
    func again(in organization: OrganizationOption) -> [String] {
        let place = [
            ("--org", organization.organization), ("--server", server), ("--data", data),
            ("--database", databaseWithoutPassword), ("--master-key", masterKey), ("--config", config),
        ]
        return place.flatMap { name, value in value.map { [name, $0] } ?? [] }
    }

    /// Without the password, because the output may be logged.
    private var databaseWithoutPassword: String? {
        guard let database, namesServer(database), var address = URLComponents(string: database) else {
            return database
        }
        address.password = nil
        return address.string
    }
}
