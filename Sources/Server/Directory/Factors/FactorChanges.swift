import Foundation
import Ground
import Storage

/// Adds and removes what a person shows besides a password.
///
/// What was removed may have been in strange hands, so the person's other browsers are signed out then. What apps got,
/// and registered devices, stays: it does not rest on the factor, and the account page has a button for each.
package struct FactorChanges: Sendable {
    package let checker: FactorChecker
    private var database: any Database { checker.database }
    private var surroundings: Surroundings { checker.surroundings }

    package init(checker: FactorChecker) { self.checker = checker }

    /// What is to be added, as a form has it.
    package enum NewFactor: Sendable {
        /// - Parameters:
        ///   - code: as typed; it shows that the generator has the secret.
        ///   - sealed: of ``NewOneTimeCodeKey``.
        case oneTimeCodes(code: String, sealed: String)
        /// - Parameter holder: what only this browser in its present session has.
        case passkey(PasskeyRegistration, name: String, holder: String)
    }

    package enum Outcome: Equatable, Sendable {
        /// - Parameter recoveryCodes: new ones, to be shown once; empty if the person has had some.
        case added(recoveryCodes: [String])
        case wrongCode
        case refused(PasskeyRefusal)
        /// The person has ``Passkey/perPersonMax`` passkeys.
        case tooMany
        case sessionEnded
    }

    /// What was looked at before the transaction.
    enum Prepared: Sendable {
        case oneTimeCodes(secret: [UInt8]?, code: String)
        case passkey(PasskeyRegistration.Key, name: String, challenge: String, userHandle: [UInt8])

        /// How the person has proved who they are by adding it.
        var methods: SignInMethods {
            switch self {
            case .oneTimeCodes: .oneTimeCode
            case .passkey(let key, _, _, _): key.isVerified ? [.passkey, .userVerified] : .passkey
            }
        }
    }

    /// A secret for a form, and the page that shows it.
    package func newOneTimeCodeKey(for person: PersonID) throws -> NewOneTimeCodeKey {
        try NewOneTimeCodeKey(for: person, sealing: checker.sealing, at: surroundings.now(), from: surroundings)
    }

    /// The secret of a form that was sent; nil if it is too old.
    package func oneTimeCodeKey(_ sealed: String, for person: PersonID) -> NewOneTimeCodeKey? {
        NewOneTimeCodeKey(sealed, for: person, sealing: checker.sealing, at: surroundings.now())
    }

    /// - Throws: ``PasskeyRefusal``
    func prepare(_ factor: NewFactor, for person: PersonID) throws -> Prepared {
        switch factor {
        case .oneTimeCodes(let code, let sealed):
            return .oneTimeCodes(
                secret: oneTimeCodeKey(sealed, for: person)?.secret,
                code: code.filter { !$0.isWhitespace && $0 != "-" })
        case .passkey(let registration, let name, let holder):
            guard let challenges = checker.challenges else { throw PasskeyRefusal.wrongChallenge }
            let now = surroundings.now()
            let (key, challenge) = try registration.verified(at: challenges.party) {
                challenge throws(PasskeyRefusal) in
                try challenges.check(challenge, for: holder, at: now)
            }
            return .passkey(
                key, name: Self.shownName(name), challenge: challenge, userHandle: challenges.userHandle(of: person))
        }
    }

    /// A name that can be stored and shown in one line.
    private static func shownName(_ name: String) -> String {
        let line = String(name.map { $0.isNewline || $0.unicodeScalars.contains { $0.value < 0x20 } ? " " : $0 })
            .trimmingCharacters(in: .whitespacesAndNewlines)
        return line.isEmpty ? "Passkey" : String(line.prefix(nameCharactersMax))
    }

    private static let nameCharactersMax = 60

    func add(
        _ factor: Prepared, to person: Person, at now: Date, from origin: Origin, in transaction: WriteTransaction
    ) throws -> Outcome {
        let isFirst = try Factors.find(of: person.id, in: transaction).isEmpty
        let detail: String
        switch factor {
        case .oneTimeCodes(let secret, let code):
            guard let secret, let step = OneTimeCode.step(of: code, by: secret, after: 0, at: now) else {
                return .wrongCode
            }
            try OneTimeCodeKey.put(
                secret, usedAt: step, of: person.id, sealing: checker.sealing, at: now, in: transaction)
            detail = "one-time codes set up"
        case .passkey(let key, let name, let challenge, let userHandle):
            guard let challenges = checker.challenges, try challenges.spend(challenge, at: now, in: transaction) else {
                return .refused(.usedChallenge)
            }
            guard try Passkey.count(of: person.id, in: transaction) < Passkey.perPersonMax else { return .tooMany }
            guard
                let passkey = try Passkey.insert(
                    key, named: name, userHandle: userHandle, of: person.id, at: now, in: transaction)
            else { return .refused(.alreadyRegistered) }
            detail = "passkey:\(passkey.id.rawValue) added"
        }
        try note(detail, on: person, at: now, from: origin, in: transaction)
        return .added(
            recoveryCodes: isFirst
                ? try RecoveryCode.make(for: person.id, at: now, from: surroundings, in: transaction) : [])
    }

    private func note(
        _ detail: String, on person: Person, at now: Date, from origin: Origin, in transaction: WriteTransaction
    ) throws {
        try AuditEntry(
            .factorsChanged, by: .person(person.id), on: "person:\(person.id.rawValue)", outcome: .done,
            detail: detail, from: origin
        ).append(to: person.organizationID, at: now, in: transaction)
    }

    // MARK: In a session

    /// Further work in the transaction of a change, such as a mail that tells the person.
    package typealias Following = @Sendable (_ person: Person, _ transaction: WriteTransaction) throws -> Void

    package func add(
        _ factor: NewFactor, in session: BrowserSession, origin: Origin, then follow: @escaping Following
    ) async throws -> Outcome {
        let prepared: Prepared
        do {
            prepared = try prepare(factor, for: session.person.id)
        } catch let refusal as PasskeyRefusal {
            return .refused(refusal)
        }
        let now = surroundings.now()
        return try await database.write { transaction in
            guard let person = try BrowserSession.reload(session, at: now, in: transaction)?.person else {
                return .sessionEnded
            }
            let outcome = try add(prepared, to: person, at: now, from: origin, in: transaction)
            if case .added = outcome {
                try session.confirm(by: prepared.methods, at: now, in: transaction)
                try follow(person, transaction)
            }
            return outcome
        }
    }

    package enum Removed: Sendable {
        case passkey(PasskeyID)
        case oneTimeCodes
    }

    /// The person's other browsers are signed out. Without a second factor recovery codes are of no use, and go too.
    /// - Returns: false if there is nothing to remove, or the session has ended.
    @discardableResult
    package func remove(
        _ removed: Removed, in session: BrowserSession, origin: Origin, then follow: @escaping Following
    ) async throws -> Bool {
        let now = surroundings.now()
        return try await database.write { transaction in
            guard let session = try BrowserSession.reload(session, at: now, in: transaction) else { return false }
            let person = session.person
            let detail: String
            switch removed {
            case .passkey(let id):
                guard try Passkey.delete(id, of: person.id, in: transaction) else { return false }
                detail = "passkey:\(id.rawValue) removed"
            case .oneTimeCodes:
                guard try OneTimeCodeKey.delete(of: person.id, in: transaction) else { return false }
                detail = "one-time codes removed"
            }
            if try Factors.find(of: person.id, in: transaction).isEmpty {
                try RecoveryCode.deleteAll(of: person.id, in: transaction)
            }
            _ = try session.endOthers(in: transaction)
            try note(detail, on: person, at: now, from: origin, in: transaction)
            try follow(person, transaction)
            return true
        }
    }

    /// - Returns: nil if the session has ended, or the person has no second factor that the codes could stand in for.
    package func renewRecoveryCodes(in session: BrowserSession, origin: Origin) async throws -> [String]? {
        let (now, surroundings) = (surroundings.now(), surroundings)
        return try await database.write { transaction in
            guard let person = try BrowserSession.reload(session, at: now, in: transaction)?.person,
                try !Factors.find(of: person.id, in: transaction).isEmpty
            else { return nil }
            try note("recovery codes made anew", on: person, at: now, from: origin, in: transaction)
            return try RecoveryCode.make(for: person.id, at: now, from: surroundings, in: transaction)
        }
    }
}
