import Directory
import Foundation
import Ground
import Storage

/// What administrators see of a registered device.
package struct DeviceRecord: Codable, Equatable, Sendable {
    /// A UUID.
    package let id: String
    package let name: String
    /// The user name of the person whom it signs in.
    package let userName: String
    /// The full name of the person whom it signs in.
    package let fullName: String
    /// The thumbprint of the device's key. RFC 7638.
    package let thumbprint: String
    package let registeredAt: Date
    /// When it last signed its person in.
    package let usedAt: Date?
    /// What the device says about itself; not verified.
    package let facts: [String: DeviceFacts.Value]
    /// The person whom it signs in, for the audit trail; no part of the JSON.
    private(set) var person: PersonID?

    private enum CodingKeys: String, CodingKey {
        case id, name, userName, fullName, thumbprint, registeredAt, usedAt, facts
    }

    init(_ owned: OwnedDevice) {
        let device = owned.device
        id = device.publicID
        name = device.name
        userName = owned.person.userName
        fullName = owned.person.fullName
        thumbprint = device.key.thumbprint
        registeredAt = device.registeredAt
        usedAt = device.usedAt
        facts = device.facts.values
        person = owned.person.id
    }
}

/// A registered device, and the person whom it signs in. Whoever reaches the person reaches the device.
package struct OwnedDevice: OperationSubject {
    let device: RegisteredDevice
    let person: Person

    package var subjectOrganization: OrganizationID? { person.organizationID }
    package var auditName: String { person.auditName }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) throws -> Bool { try person.isOpen(to: authority, for: privilege, in: transaction) }

    /// - Parameter id: as a person may type it.
    /// - Throws: ``OperationError/notFound(_:_:in:)``
    static func find(_ id: String, in context: OperationContext, _ transaction: some Transaction) throws -> OwnedDevice
    {
        let id = id.lowercased()
        guard let device = try RegisteredDevice.find(publicID: id, in: transaction),
            let person = try Person.find(device.personID, in: transaction),
            context.organization == nil || person.organizationID == context.organization?.id
        else { throw OperationError.notFound(.device, id, in: context.organization?.name) }
        return OwnedDevice(device: device, person: person)
    }
}
