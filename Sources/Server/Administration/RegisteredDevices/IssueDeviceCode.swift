import Directory
import Foundation
import Storage

/// Makes the code with which a device of a person is registered. It is shown once, and the code before it is void.
package struct IssueDeviceCode: Change {
    package static let name = "device.code"
    package static let summary = "Makes the code with which a device of a person is registered, once."
    package static let privilege = Privilege.manageDevices
    package static let route = OperationRoute(.post, "people/{person}/device-code")
    package static let explanations = ["person": "User name, person id, or number, such as `PE-12`."]
    package static let undo = UndoRule.impossible(
        "It ends by itself after a quarter of an hour, or with the next code.")

    package struct Answer: Codable, Sendable {
        package let name: String
        package let userName: String
        package let code: String
        package let validUntil: Date
    }

    package let person: PersonReference

    package init(person: PersonReference) { self.person = person }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> DeviceOwner {
        DeviceOwner(person: try person.findToChange(in: context, transaction))
    }

    package func carryOut(on owner: DeviceOwner, _: Void, in act: Act) throws -> Answer {
        let person = owner.person
        let code: DeviceRegistrationCode.Issued
        do {
            code = try DeviceRegistrar.makeCode(
                for: person, at: act.now, from: act.surroundings, in: act.transaction)
        } catch let refusal as DeviceRefusal {
            throw Self.error(for: refusal, of: person)
        }
        try act.record(.deviceCodeIssued, on: owner, called: person.fullName)
        return Answer(
            name: person.fullName, userName: person.userName, code: code.text, validUntil: code.expiresAt)
    }

    private static func error(for refusal: DeviceRefusal, of person: Person) -> OperationError {
        switch refusal {
        case .notManaged:
            .refused("\(person.fullName) has a personal account; devices sign in to managed accounts only.")
        case .accountDeactivated:
            .refused(
                "\(person.fullName) is deactivated and could not sign in.",
                remedy: .init(ReactivatePerson.name, person.userName))
        case .tooManyDevices:
            .refused(
                """
                \(person.fullName) has \(RegisteredDevice.perPersonMax) devices, and no more are possible. Remove one \
                first.
                """,
                remedy: .init(ListDevices.name, "--user \(person.userName)", use: .looking("shows them")))
        default: .refused(refusal.description)
        }
    }
}

/// A person who is to have a device. Whoever has the code could sign in as the person, so it needs more than a look at
/// devices: each role of the person must be one that allows nothing, or one that the caller manages and whose
/// privileges the caller has, at its place.
package struct DeviceOwner: OperationSubject {
    let person: Person

    package var subjectOrganization: OrganizationID? { person.organizationID }
    package var auditName: String { person.auditName }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) throws -> Bool {
        guard try person.isOpen(to: authority, for: privilege, in: transaction) else { return false }
        if authority.isOperator { return true }
        let held = try RoleAssignment.recorded(of: person.id, in: transaction)
        let roles = try RolePrivileges.find(of: person.organizationID, in: transaction)
        return authority.standings(privilege).contains { standing in
            (held.isEmpty ? [nil] : held.map(\.location)).contains(where: standing.covers)
                && held.allSatisfy { one in
                    roles.privileges(of: one.role).isEmpty
                        || standing.covers(one.location) && standing.managedRoles.contains(one.role)
                            && roles.privileges(of: one.role).isSubset(of: standing.privileges)
                }
        }
    }
}
