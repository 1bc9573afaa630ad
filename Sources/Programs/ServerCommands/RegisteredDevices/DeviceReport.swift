import Directory
import Foundation
import Ground
import Storage

/// The output of commands about a device.
struct DeviceReport: Encodable, Sendable {
    let id: String
    let name: String
    let userName: String
    let fullName: String
    let thumbprint: String
    let registeredAt: Date
    let usedAt: Date?
    /// What the device says about itself; not verified.
    let facts: [String: DeviceFacts.Value]

    init(_ device: RegisteredDevice, in transaction: some Transaction) throws {
        let person = try Person.find(device.personID, in: transaction)
        id = device.publicID
        name = device.name
        userName = person?.userName ?? ""
        fullName = person?.fullName ?? ""
        thumbprint = device.key.thumbprint
        registeredAt = device.registeredAt
        usedAt = device.usedAt
        facts = device.facts.values
    }

    /// The facts in one line, with control characters escaped.
    var factsText: String {
        facts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ").printable()
    }
}
