import Authorization
import Directory
import Storage

extension Act {
    /// Checks that a sandbox has room for another record of a kind. All other organizations have room for any number.
    /// - Throws: ``OperationError/refused(_:remedy:)``
    func checkRoom(for kind: SandboxRecordKind, in organization: Organization) throws {
        try kind.checkRoom(for: 1, in: organization, transaction)
    }
}

/// A kind of records of which a sandbox has only so many. Archived ones and accounts that are deactivated count too: a
/// stranger would make any number of them otherwise.
enum SandboxRecordKind: CaseIterable {
    case people, classes, locations, programs

    private var most: Int {
        switch self {
        case .people: Sandbox.peopleMax
        case .classes: Sandbox.classesMax
        case .locations: Sandbox.locationsMax
        case .programs: Sandbox.programsMax
        }
    }

    private func count(of organization: OrganizationID, _ transaction: some Transaction) throws -> Int {
        let rows =
            switch self {
            case .people: "person WHERE organization_id = $1 AND deleted_at IS NULL"
            case .classes: "class WHERE organization_id = $1"
            case .locations: "location WHERE organization_id = $1"
            case .programs: "api_client WHERE organization_id = $1 AND revoked_at IS NULL"
            }
        return try transaction.first("SELECT COUNT(*) FROM \(rows)", [organization]) { try $0[0] } ?? 0
    }

    /// - Parameter more: how many are to be added; 0 if all are there already.
    /// - Throws: ``OperationError/refused(_:remedy:)``
    func checkRoom(for more: Int, in organization: Organization, _ transaction: some Transaction) throws {
        guard organization.isSandbox else { return }
        let count = try count(of: organization.id, transaction)
        guard count + more <= most else {
            throw OperationError.refused("A sandbox has room for \(most) \(self), and this one has \(count).")
        }
    }
}
