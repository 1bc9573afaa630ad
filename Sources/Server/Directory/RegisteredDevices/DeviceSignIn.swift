import Foundation
import Ground
import Storage

/// Signs a person in by the key of a device: docs/specifications/sign-in.md, 13.6 and 13.7.
///
/// The result is a browser session as with a password, but only the device has proved itself, not the person. Apps see
/// the difference in `amr`, and can require the person with `prompt=login` or `max_age`.
package struct DeviceSignIn: Sendable {
    private let database: any Database
    private let surroundings: Surroundings
    /// The `aud` that assertions must have: the server's base URL.
    private let audience: String
    private let pace: DevicePace
    /// A separate limit for repeated assertions, so that somebody who has overheard one cannot exhaust the device's own
    /// limit with it.
    private let replays: DevicePace

    /// The maximum number of sessions of one device; beyond it the oldest end.
    package static let sessionsMax = 10

    package init(database: any Database, surroundings: Surroundings, audience: String) {
        self.database = database
        self.surroundings = surroundings
        self.audience = audience
        pace = DevicePace(now: surroundings.now)
        replays = DevicePace(now: surroundings.now)
    }

    /// - Returns: the token of a new session.
    /// - Throws: ``DeviceRefusal``
    package func signIn(_ text: String, userAgent: String?, origin: Origin) async throws -> Secret {
        let assertion = try DeviceAssertion(text)
        guard
            let (known, isReplay) = try await database.read({ transaction in
                try find(assertion, in: transaction).map {
                    ($0, try UsedAssertion.isNoted(assertion.useHash, in: transaction))
                }
            })
        else { throw Self.unknownDevice }
        let (now, surroundings) = (surroundings.now(), surroundings)
        // Verify the signature here and not in the transaction, which would make others wait.
        try assertion.check(by: known.key, audience: audience, at: now)
        try (isReplay ? replays : pace).take(known.id)
        return try await database.decide { transaction -> Verdict<Secret, DeviceRefusal> in
            // The device may have been removed meanwhile. Its key cannot have changed.
            guard let device = try find(assertion, in: transaction),
                let person = try Person.find(device.personID, in: transaction), person.organizationID != nil
            else { return .rollBack(Self.unknownDevice) }
            try Self.check(person, in: transaction)
            func note(_ outcome: AuditEntry.Outcome, _ remark: String = "") throws {
                try AuditEntry(
                    .signIn, by: .person(person.id), on: "person:\(person.id.rawValue)", outcome: outcome,
                    detail: "device:\(device.publicID)\(remark)", from: origin
                ).append(to: person.organizationID, at: now, in: transaction)
            }
            guard
                try UsedAssertion.note(
                    assertion.useHash, until: assertion.isOverAt, at: now, in: transaction)
            else {
                // A repeated assertion may have been stolen, so the organization must be able to see it.
                try note(.refused, ", with an assertion that was used before")
                return .commitRefusal(.invalidAssertion("it was used before"))
            }
            try person.activate(in: transaction)
            let session = try BrowserSession.insert(
                for: person.id, userAgent: userAgent, device: device.id, at: now, from: surroundings, in: transaction)
            try BrowserSession.endOldest(
                where: "device_id = $3", [device.id], but: session, keeping: Self.sessionsMax, in: transaction)
            try device.noteUse(at: now, in: transaction)
            try note(.done)
            return .commit(session)
        }
    }

    private func find(_ assertion: DeviceAssertion, in transaction: some Transaction) throws -> RegisteredDevice? {
        // PostgreSQL does not accept NUL in text.
        guard assertion.claims.iss.utf8.count == 36, !assertion.claims.iss.hasNUL else { return nil }
        return try RegisteredDevice.find(publicID: assertion.claims.iss, in: transaction)
    }

    private static let unknownDevice = DeviceRefusal.invalidAssertion("iss is no device that is registered")

    /// While the account is locked after wrong guesses no session begins by itself, and the person sees the sign-in
    /// page. A lock ends by itself, and open sessions stay open.
    private static func check(_ person: Person, in transaction: some Transaction) throws {
        switch person.state {
        case .locked: throw DeviceRefusal.accountLocked
        case .deactivated: throw DeviceRefusal.accountDeactivated
        case .new, .active: break
        }
        // Others have seen a temporary password, so the person must choose a new one first.
        if try Credential.find(for: person.id, in: transaction)?.temporaryUntil != nil {
            throw DeviceRefusal.passwordChangeRequired
        }
    }
}
