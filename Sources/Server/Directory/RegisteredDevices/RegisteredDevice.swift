import Crypto
import Foundation
import Storage

package struct RegisteredDeviceID: RecordID {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// A device on which the owner of a managed account is signed in without a password: it signs with a key that never
/// leaves it. The server has the public half. docs/specifications/extensible-single-sign-on.md, 17.6 and 17.7.
package struct RegisteredDevice: Sendable {
    package let id: RegisteredDeviceID
    /// A UUID in lower case: the `iss` of what the device signs.
    package let publicID: String
    package let personID: PersonID
    package let name: String
    package let key: DeviceKey
    package let facts: DeviceFacts
    package let registeredAt: Date
    /// When it last signed its person in.
    package let usedAt: Date?

    /// The maximum number of devices of one person.
    package static let perPersonMax = 10

    private static let columns = "id, public_id, person_id, name, public_key, facts, registered_at, used_at"

    private init(_ row: Row) throws {
        id = try row["id"]
        publicID = try row["public_id"]
        personID = try row["person_id"]
        name = try row["name"]
        key = try DeviceKey(stored: row["public_key"])
        facts = try DeviceFacts(stored: row["facts"])
        registeredAt = try row["registered_at"]
        usedAt = try row["used_at"]
    }
}

extension RegisteredDevice {
    /// Adds a device. If the person has one with the same key, that is updated: a device repeats its request if the
    /// answer was lost.
    /// - Throws: ``DeviceRefusal/tooManyDevices``
    static func put(
        of person: PersonID, name: String, key: DeviceKey, facts: DeviceFacts, at now: Date,
        in transaction: WriteTransaction
    ) throws -> RegisteredDevice {
        let device = try transaction.first(
            """
            INSERT INTO registered_device (public_id, person_id, name, public_key, thumbprint, facts, registered_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (person_id, thumbprint) DO UPDATE SET
                name = EXCLUDED.name, facts = EXCLUDED.facts, registered_at = EXCLUDED.registered_at
            RETURNING \(columns)
            """,
            [
                UUID().uuidString.lowercased(), person, name, key.stored, key.thumbprint, try facts.stored(), now,
            ],
            RegisteredDevice.init
        )!  // an insert, or an update of what is in its way, returns the row
        guard try count(of: person, in: transaction) <= perPersonMax else { throw DeviceRefusal.tooManyDevices }
        return device
    }

    package static func count(of person: PersonID, in transaction: some Transaction) throws -> Int {
        try transaction.first("SELECT COUNT(*) FROM registered_device WHERE person_id = $1", [person]) { try $0[0] }
            ?? 0
    }

    package static func find(_ id: RegisteredDeviceID, in transaction: some Transaction) throws -> RegisteredDevice? {
        try transaction.first("SELECT \(columns) FROM registered_device WHERE id = $1", [id], RegisteredDevice.init)
    }

    package static func find(publicID: String, in transaction: some Transaction) throws -> RegisteredDevice? {
        try transaction.first(
            "SELECT \(columns) FROM registered_device WHERE public_id = $1", [publicID], RegisteredDevice.init)
    }

    /// The devices of a person, newest first.
    package static func list(of person: PersonID, in transaction: some Transaction) throws -> [RegisteredDevice] {
        try transaction.all(
            "SELECT \(columns) FROM registered_device WHERE person_id = $1 ORDER BY registered_at DESC, id DESC",
            [person], RegisteredDevice.init)
    }

    /// The next `limit` devices of an organization's people after `last`, by id.
    package static func page(
        of organization: OrganizationID, after last: RegisteredDeviceID = .none, limit: Int,
        in transaction: some Transaction
    ) throws -> [RegisteredDevice] {
        try transaction.all(
            """
            SELECT \(columns) FROM registered_device
            WHERE id > $2 AND EXISTS (
                SELECT 1 FROM person WHERE person.id = registered_device.person_id AND person.organization_id = $1
            )
            ORDER BY id
            LIMIT $3
            """,
            [organization, last, limit], RegisteredDevice.init)
    }

    /// Removes the device, and ends its sessions and what apps got through them.
    /// - Returns: false if it was removed before.
    package func remove(by actor: Actor, origin: Origin, at now: Date, in transaction: WriteTransaction) throws -> Bool
    {
        guard try delete(in: transaction) else { return false }
        try AuditEntry(
            .deviceRemoved, by: actor, on: "person:\(personID.rawValue)", outcome: .done, detail: "device:\(publicID)",
            from: origin
        ).append(
            to: try Person.find(personID, in: transaction)?.organizationID, at: now, in: transaction)
        return true
    }

    /// As ``remove(by:origin:at:in:)``; the caller writes it into the audit trail.
    package func delete(in transaction: WriteTransaction) throws -> Bool {
        try transaction.execute("DELETE FROM registered_device WHERE id = $1", [id]) > 0
    }

    func noteUse(at now: Date, in transaction: WriteTransaction) throws {
        try transaction.execute("UPDATE registered_device SET used_at = $2 WHERE id = $1", [id, now])
    }
}
