import Foundation
import Storage

/// Signs people in by user name and password, and lets them change it.
///
/// Every refusal looks the same from outside and takes as long: an unknown account, a wrong password, a locked
/// or deactivated account. Each costs one hash and one commit. Only who knows the password learns more.
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
        case signedIn(Person, session: Secret)
        /// The password is a temporary one: the person must choose another before anything else.
        case mustChangePassword(Person, session: Secret)
        /// The password was right, but temporary, and its time is over.
        case temporaryPasswordExpired
        case refused
    }

    /// The session begins in the transaction that admits the person: a password that is replaced a moment later
    /// finds it, and ends it.
    /// - Parameter token: of the session that the browser had; it ends.
    /// - Throws: ``PasswordHasher/Overloaded`` when too many wait already.
    package func signIn(
        userName: String, password: String, userAgent: String? = nil, replacing token: String? = nil, origin: Origin
    ) async throws -> Outcome {
        let found = try await database.read { transaction -> (Person, Credential)? in
            guard let person = try Person.find(userName: userName, in: transaction),
                let credential = try Credential.find(for: person.id, in: transaction)
            else { return nil }
            return (person, credential)
        }
        let isRight = try await hasher.verify(password, against: found?.1.passwordHash)
        let surroundings = surroundings
        let now = surroundings.now()
        guard let (person, credential) = found else {
            try await database.write { try UnknownSignIn.record(at: now, from: origin, in: $0) }
            return .refused
        }
        return try await database.write { transaction in
            func note(_ action: AuditEntry.Action, _ outcome: AuditEntry.Outcome, _ detail: String = "") throws {
                try AuditEntry(
                    action, by: .person(person.id), on: "person:\(person.id.rawValue)", outcome: outcome,
                    detail: detail, from: origin
                ).append(to: person.organizationID, at: now, in: transaction)
            }
            // Guesses at an account that nobody can enter would fill the audit trail: it tells of those that
            // counted.
            let isOpen = try Person.find(person.id, in: transaction)?.state.maySignIn == true
            guard isRight else {
                let isLocked = try Credential.recordFailure(of: person.id, in: transaction)
                if isOpen { try note(isLocked ? .accountLocked : .signIn, .refused, "wrong password") }
                return .refused
            }
            guard isOpen else {
                try Credential.rewrite(of: person.id, in: transaction)
                return .refused
            }
            guard try Credential.isAdmitted(person.id, with: credential.passwordHash, in: transaction) else {
                try note(.signIn, .refused, "the password was just replaced")
                return .refused
            }
            if let until = credential.temporaryUntil, until <= now {
                try note(.signIn, .refused, "the temporary password has expired")
                return .temporaryPasswordExpired
            }
            try Credential.recordSuccess(of: person.id, in: transaction)
            try note(.signIn, .done)
            let session = try BrowserSession.insert(
                for: person.id, userAgent: userAgent, replacing: token, at: now, from: surroundings, in: transaction)
            return credential.temporaryUntil == nil
                ? .signedIn(person, session: session) : .mustChangePassword(person, session: session)
        }
    }

    package enum ChangeOutcome: Sendable {
        case changed(session: Secret)
        case doesNotMeet(PasswordPolicy)
        /// The same as the temporary one, which others have seen.
        case unchanged
        /// Meanwhile, by a new password for one: whoever is in the browser must sign in again.
        case sessionEnded
    }

    /// Replaces the password by one that the person chose. All their browser sessions end; this browser gets a new
    /// one.
    package func change(
        in session: BrowserSession, to password: String, userAgent: String? = nil, origin: Origin
    ) async throws -> ChangeOutcome {
        let person = session.person
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
        let surroundings = surroundings
        let now = surroundings.now()
        return try await database.write { transaction in
            // A password that was replaced while this one waited to be hashed has ended the session.
            guard try BrowserSession.find(session.tokenHash, at: now, in: transaction) != nil else {
                return .sessionEnded
            }
            try Credential.put(hash, temporaryUntil: nil, for: person.id, at: now, in: transaction)
            try AuditEntry(
                .passwordChanged, by: .person(person.id), on: "person:\(person.id.rawValue)", outcome: .done,
                from: origin
            ).append(to: person.organizationID, at: now, in: transaction)
            return .changed(
                session: try BrowserSession.insert(
                    for: person.id, userAgent: userAgent, at: now, from: surroundings, in: transaction))
        }
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
