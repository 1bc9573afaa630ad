import Foundation
import Ground
import Storage

/// Registers and removes devices that sign their people in. Only for managed accounts, whose organization answers for
/// the device.
package struct DeviceRegistrar: Sendable {
    private let database: any Database
    private let surroundings: Surroundings

    package init(database: any Database, surroundings: Surroundings) {
        self.database = database
        self.surroundings = surroundings
    }

    /// A code for the person who is signed in.
    /// - Returns: nil if the session has ended.
    /// - Throws: ``DeviceRefusal``
    package func issueCode(
        in session: BrowserSession, origin: Origin
    ) async throws -> DeviceRegistrationCode.Issued? {
        let (now, surroundings) = (surroundings.now(), surroundings)
        return try await database.write { transaction in
            guard let person = try BrowserSession.reload(session, at: now, in: transaction)?.person else { return nil }
            let code = try Self.makeCode(for: person, at: now, from: surroundings, in: transaction)
            try AuditEntry(
                .deviceCodeIssued, by: .person(person.id), on: "person:\(person.id.rawValue)", outcome: .done,
                from: origin
            ).append(to: person.organizationID, at: now, in: transaction)
            return code
        }
    }

    /// A code for a person. The caller writes it into the audit trail.
    /// - Throws: ``DeviceRefusal``
    package static func makeCode(
        for person: Person, at now: Date, from surroundings: Surroundings, in transaction: WriteTransaction
    ) throws -> DeviceRegistrationCode.Issued {
        try checkOwner(person, in: transaction)
        guard try RegisteredDevice.count(of: person.id, in: transaction) < RegisteredDevice.perPersonMax else {
            throw DeviceRefusal.tooManyDevices
        }
        return try DeviceRegistrationCode.insert(for: person.id, at: now, from: surroundings, in: transaction)
    }

    /// Checks whether the person may have devices.
    private static func checkOwner(_ person: Person, in transaction: some Transaction) throws {
        guard let organization = try person.organizationID.flatMap({ try Organization.find($0, in: transaction) })
        else { throw DeviceRefusal.notManaged }
        guard !organization.isSynthetic else { throw DeviceRefusal.synthetic }
        guard person.state.maySignIn else { throw DeviceRefusal.accountDeactivated }
    }

    /// Registers a device with a code, which is then used up. A refusal changes nothing, and the code stays valid.
    /// - Throws: ``DeviceRefusal``
    package func register(
        _ key: DeviceKey, name: String, facts: DeviceFacts, code: String, origin: Origin
    ) async throws -> RegisteredDevice {
        let now = surroundings.now()
        let name = try Self.check(name)
        return try await database.write { transaction in
            guard let personID = try DeviceRegistrationCode.take(code, at: now, in: transaction),
                let person = try Person.find(personID, in: transaction), person.organizationID != nil,
                person.state.maySignIn
            else { throw DeviceRefusal.invalidCode }
            let device = try RegisteredDevice.put(
                of: person.id, name: name, key: key, facts: facts, at: now, in: transaction)
            try AuditEntry(
                .deviceRegistered, by: .person(person.id), on: "person:\(person.id.rawValue)", outcome: .done,
                detail: "device:\(device.publicID) key \(key.thumbprint)", from: origin
            ).append(to: person.organizationID, at: now, in: transaction)
            return device
        }
    }

    private static func check(_ name: String) throws -> String {
        do {
            let name = try FieldRule.short.check(name, field: "name")
            guard !name.isEmpty else { throw DeviceRefusal.invalidRequest("name is empty") }
            return name
        } catch DirectoryError.invalidField(_, let reason) {
            throw DeviceRefusal.invalidRequest("name \(reason)")
        }
    }

    /// Removes a device of the person who is signed in.
    /// - Returns: false if the person has no device with that id, or the session has ended.
    @discardableResult
    package func remove(_ publicID: String, in session: BrowserSession, origin: Origin) async throws -> Bool {
        let now = surroundings.now()
        return try await database.write { transaction in
            guard let person = try BrowserSession.reload(session, at: now, in: transaction)?.person,
                let device = try RegisteredDevice.find(publicID: publicID, in: transaction),
                device.personID == person.id
            else { return false }
            return try device.remove(by: .person(person.id), origin: origin, at: now, in: transaction)
        }
    }
}
