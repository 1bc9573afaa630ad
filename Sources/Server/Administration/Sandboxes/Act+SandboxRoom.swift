import Authorization
import Directory
import Storage

extension Act {
    /// Checks that a sandbox has room for another record of a kind. All other organizations have room for any number.
    /// - Throws: ``OperationError/refused(_:remedy:)``
    func checkRoom(for kind: SandboxRecordKind, in organization: Organization) throws {
        try kind.checkRoom(in: organization, transaction)
    }
}

/// What there can be only so much of in a sandbox.
enum SandboxRecordKind {
    case people, classes, locations

    func checkRoom(in organization: Organization, _ transaction: some Transaction) throws {
        guard organization.isSandbox else { return }
        let (word, count, most) =
            switch self {
            case .people: ("people", try Person.countKept(of: organization.id, in: transaction), Sandbox.peopleMax)
            case .classes: ("classes", try RosterClass.count(of: organization.id, in: transaction), Sandbox.classesMax)
            case .locations:
                ("locations", try Location.count(of: organization.id, in: transaction), Sandbox.locationsMax)
            }
        guard count < most else {
            throw OperationError.refused("A sandbox has room for \(most) \(word), and this one has \(count).")
        }
    }
}
