import Foundation
import Storage

/// Signs people in by user name and password, and lets them change it.
///
/// Every refusal looks the same from outside and takes as long: an unknown account, a wrong password, a locked
/// or deactivated account. Only who knows the password learns more.
package struct PasswordSignIn: Sendable {
    private let database: any Database
    private let hasher: PasswordHasher
    private let surroundings: Surroundings

    package init(database: any Database, hasher: PasswordHasher, surroundings: Surroundings) {
        self.database = database
        self.hasher = hasher
        self.surroundings = surroundings
    }

    package enum Outcome: Sendable {
        case signedIn(Person)
        /// The password is a temporary one: the person must choose another before anything else.
        case mustChangePassword(Person)
        /// The password was right, but temporary, and its time is over.
        case temporaryPasswordExpired
        case refused
    }

    /// - Throws: ``PasswordHasher/Overloaded`` when too many wait already.
    package func signIn(userName: String, password: String, origin: Origin) async throws -> Outcome {
        let found = try await database.read { transaction -> (Person, Credential)? in
            guard let person = try Person.find(userName: userName, in: transaction),
                let credential = try Credential.find(for: person.id, in: transaction)
            else { return nil }
            return (person, credential)
        }
        let isRight = try await hasher.verify(password, against: found?.1.passwordHash)
        guard let (person, credential) = found else { return .refused }
        let now = surroundings.now()
        return try await database.write { transaction in
            let organization = person.organizationID
            guard isRight else {
                let isLocked = try Credential.recordFailure(of: person.id, in: transaction)
                try AuditEntry(
                    isLocked ? .accountLocked : .signIn, by: .person(person.id), on: "person:\(person.id.rawValue)",
                    outcome: .refused, detail: "wrong password", from: origin
                ).append(to: organization, at: now, in: transaction)
                return .refused
            }
            func refuse(_ reason: String, _ outcome: Outcome) throws -> Outcome {
                try AuditEntry(
                    .signIn, by: .person(person.id), on: "person:\(person.id.rawValue)", outcome: .refused,
                    detail: reason, from: origin
                ).append(to: organization, at: now, in: transaction)
                return outcome
            }
            guard try Credential.isAdmitted(person.id, with: credential.passwordHash, in: transaction) else {
                return try refuse("the account is locked or deactivated, or the password was just replaced", .refused)
            }
            if let until = credential.temporaryUntil, until <= now {
                return try refuse("the temporary password has expired", .temporaryPasswordExpired)
            }
            try Credential.recordSuccess(of: person.id, in: transaction)
            try AuditEntry(
                .signIn, by: .person(person.id), on: "person:\(person.id.rawValue)", outcome: .done, from: origin
            ).append(to: organization, at: now, in: transaction)
            return credential.temporaryUntil == nil ? .signedIn(person) : .mustChangePassword(person)
        }
    }

    package enum ChangeOutcome: Equatable, Sendable {
        case changed
        case doesNotMeet(PasswordPolicy)
        /// The same as the temporary one, which others have seen.
        case unchanged
    }

    /// Replaces the password by one that the person chose. All their browser sessions end.
    package func change(of person: Person, to password: String, origin: Origin) async throws -> ChangeOutcome {
        let (policy, current) = try await database.read { transaction in
            (
                try PasswordPolicy.effective(for: person, in: transaction),
                try Credential.find(for: person.id, in: transaction)
            )
        }
        guard policy.accepts(password) else { return .doesNotMeet(policy) }
        // Pupils with a short passcode may keep the one that they were given; they are few enough to remember.
        if policy == .standard, try await hasher.verify(password, against: current?.passwordHash) { return .unchanged }
        let hash = try await hasher.hash(password)
        let now = surroundings.now()
        try await database.write { transaction in
            try Credential.put(hash, temporaryUntil: nil, for: person.id, at: now, in: transaction)
            try AuditEntry(
                .passwordChanged, by: .person(person.id), on: "person:\(person.id.rawValue)", outcome: .done,
                from: origin
            ).append(to: person.organizationID, at: now, in: transaction)
        }
        return .changed
    }

    /// Gives a person a temporary password, to be handed over on paper and changed at the first sign-in.
    /// It also unlocks the account.
    package func issueTemporaryPassword(for person: Person, by actor: Actor, origin: Origin) async throws -> String {
        let policy = try await database.read { try PasswordPolicy.effective(for: person, in: $0) }
        let password = policy.makeTemporaryPassword(from: surroundings)
        let hash = try await hasher.hash(password)
        let now = surroundings.now()
        try await database.write { transaction in
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
