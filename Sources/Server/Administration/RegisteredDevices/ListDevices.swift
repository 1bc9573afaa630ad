import Directory
import Storage

/// Lists the registered devices of a person, or of all people whom the caller reaches.
package struct ListDevices: Inquiry {
    package static let name = "device.list"
    package static let summary = "Lists the devices that sign their people in, with what they say of themselves."
    package static let privilege = Privilege.manageDevices
    package static let route = OperationRoute(.get, "devices")
    package static let explanations = [
        "person": "User name, person id, or number, such as `PE-12`; everybody if it is left out.",
        "after": "The number after which the page begins: `next` of the page before.",
        "limit": "How many devices are looked at, 1 000 at most. Those that the caller may not see are left out.",
    ]

    package struct Answer: Codable, Sendable {
        package let devices: [DeviceRecord]
        /// The `after` of the next page; nil on the last one.
        package let next: Int64?

        package init(devices: [DeviceRecord], next: Int64?) {
            self.devices = devices
            self.next = next
        }
    }

    package let person: PersonReference?
    package let after: Int64?
    package let limit: Int?

    package init(person: PersonReference? = nil, after: Int64? = nil, limit: Int? = nil) {
        self.person = person
        self.after = after
        self.limit = limit
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> DeviceOwners {
        if let found = try person?.find(in: context, transaction) { return .person(found) }
        return .everybody(Listing(organization: try context.requiredOrganization(transaction)))
    }

    package func answer(
        about owners: DeviceOwners, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        switch owners {
        case .person(let person):
            return Answer(
                devices: try RegisteredDevice.list(of: person.id, in: transaction).map {
                    DeviceRecord(OwnedDevice(device: $0, person: person))
                },
                next: nil)
        case .everybody:
            let limit = try PageLimit.check(limit, atMost: 1_000)
            let organization = try context.requiredOrganization(transaction)
            let found = try RegisteredDevice.page(
                of: organization.id, after: RegisteredDeviceID(rawValue: after ?? 0), limit: limit + 1,
                in: transaction)
            let page = found.prefix(limit)
            return Answer(
                devices: try page.compactMap { device in
                    guard let person = try Person.find(device.personID, in: transaction),
                        try person.isOpen(to: context.authority, for: Self.privilege, in: transaction)
                    else { return nil }
                    return DeviceRecord(OwnedDevice(device: device, person: person))
                },
                next: found.count > limit ? page.last?.id.rawValue : nil)
        }
    }

    package static func people(in answer: Answer) -> [PersonID]? { answer.devices.compactMap(\.person) }
}

/// Whose devices are listed.
package enum DeviceOwners: OperationSubject {
    case person(Person)
    case everybody(Listing)

    private var subject: any OperationSubject {
        switch self {
        case .person(let person): person
        case .everybody(let listing): listing
        }
    }

    package var subjectOrganization: OrganizationID? { subject.subjectOrganization }
    package var auditName: String { subject.auditName }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) throws -> Bool { try subject.isOpen(to: authority, for: privilege, in: transaction) }
}

/// Shows a registered device.
package struct ShowDevice: Inquiry {
    package typealias Answer = DeviceRecord

    package static let name = "device.show"
    package static let summary = "Shows a device that signs its person in, with what it says of itself."
    package static let privilege = Privilege.manageDevices
    package static let route = OperationRoute(.get, "devices/{device}")
    package static let explanations = ["device": "The id of the device."]

    package let device: String

    package init(device: String) { self.device = device }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> OwnedDevice {
        try OwnedDevice.find(device, in: context, transaction)
    }

    package func answer(
        about owned: OwnedDevice, in context: OperationContext, _ transaction: some Transaction
    ) -> DeviceRecord { DeviceRecord(owned) }
}
