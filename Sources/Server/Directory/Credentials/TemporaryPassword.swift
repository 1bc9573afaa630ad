import Foundation
import Ground
import Storage

extension Credential {
    /// How long a temporary password is valid, in seconds. After that ``PasswordSignIn`` refuses it.
    package static let temporaryLifetime: TimeInterval = 90 * 86_400
}

extension PasswordPolicy {
    /// A random password that the policy accepts and that is easy to read out and type: without `0`, `o`, `1` and `l`.
    package func makeTemporaryPassword(from surroundings: Surroundings) -> String {
        let letters = "abcdefghijkmnpqrstuvwxyz"
        let digits = "23456789"
        return switch self {
        case .fourDigits: surroundings.randomText(4, from: "0123456789")
        case .sixDigits: surroundings.randomText(6, from: "0123456789")
        case .standard:
            [letters, letters, digits].map { surroundings.randomText(4, from: $0) }.joined(separator: "-")
        }
    }
}

extension PasswordSignIn {
    /// Gives a person a temporary password, to be handed over on paper and changed at the first sign-in.
    /// It also unlocks the account, and no browser is known to it any more.
    /// - Parameter follow: called if the person had a password before.
    package func issueTemporaryPassword(
        for person: Person, by actor: Actor, origin: Origin, then follow: @escaping Following = { _, _ in }
    ) async throws -> String {
        let policy = try await database.read { try PasswordPolicy.effective(for: person, in: $0) }
        let password = policy.makeTemporaryPassword(from: surroundings)
        let hash = try await hasher.hash(password)
        let now = surroundings.now()
        try await database.write { transaction in
            if try Credential.find(for: person.id, in: transaction) != nil { try follow(person, transaction) }
            try Credential.put(
                hash, temporaryUntil: now.addingTimeInterval(Credential.temporaryLifetime), for: person.id, at: now,
                in: transaction)
            try AuditEntry(
                .passwordIssued, by: actor, on: "person:\(person.id.rawValue)", outcome: .done, from: origin
            ).append(to: person.organizationID, at: now, in: transaction)
        }
        return password
    }
}
