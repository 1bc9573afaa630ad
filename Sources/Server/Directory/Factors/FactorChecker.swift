import Foundation
import Ground
import Storage

/// Says whether what a person shows besides a password is right.
package struct FactorChecker: Sendable {
    let database: any Database
    let sealing: Sealing
    /// Nil where browsers have no passkeys: see ``RelyingParty``.
    package let challenges: PasskeyChallenges?
    let surroundings: Surroundings

    package init(
        database: any Database, sealing: Sealing, challenges: PasskeyChallenges?, surroundings: Surroundings
    ) {
        self.database = database
        self.sealing = sealing
        self.challenges = challenges
        self.surroundings = surroundings
    }

    /// Takes a one-time code or a recovery code.
    /// - Parameter text: as typed; spaces and hyphens are ignored.
    /// - Returns: nil if it is wrong, or was taken before.
    func take(
        _ text: String, of person: PersonID, at now: Date, in transaction: WriteTransaction
    ) throws -> SignInMethods? {
        let code = text.filter { !$0.isWhitespace && $0 != "-" }.lowercased()
        guard code.utf8.count <= 64 else { return nil }
        if code.utf8.count == OneTimeCode.digits {
            let isRight = try OneTimeCodeKey.find(of: person, in: transaction)?
                .take(code, sealing: sealing, at: now, in: transaction)
            return isRight == true ? .oneTimeCode : nil
        }
        return try RecoveryCode.take(code, of: person, in: transaction) ? .recoveryCode : nil
    }

    /// A passkey whose signature is right; the challenge and the count are still to be looked at.
    struct Signed: Sendable {
        let passkey: Passkey
        let proof: PasskeyAssertion.Proof

        var methods: SignInMethods { proof.isVerified ? [.passkey, .userVerified] : .passkey }
    }

    /// Verifies a signature, outside of the transaction that takes it, which would make others wait.
    /// - Parameters:
    ///   - person: whose passkey it has to be; nil for anybody's.
    ///   - holder: what only this browser in its present session has.
    func verify(
        _ assertion: PasskeyAssertion, of person: PersonID?, requiresVerification: Bool, holder: String
    ) async throws -> Signed {
        guard let challenges else { throw PasskeyRefusal.wrongChallenge }
        let found = try await database.read {
            try Passkey.find(credentialID: assertion.credentialID, in: $0)
        }
        // Who has not said who they are says it by the handle. WebAuthn Level 2 §7.2 step 6.
        guard let passkey = found,
            person.map({ $0 == passkey.personID }) ?? (assertion.userHandle == passkey.userHandle)
        else { throw PasskeyRefusal.unknownCredential }
        let now = surroundings.now()
        let proof = try assertion.verified(
            by: passkey, at: challenges.party, requiresVerification: requiresVerification
        ) { challenge throws(PasskeyRefusal) in
            try challenges.check(challenge, for: holder, at: now)
        }
        return Signed(passkey: passkey, proof: proof)
    }

    /// Takes a passkey that was verified: its challenge is spent, and its count has to have grown.
    /// - Returns: why it does not count; nil if it does. What this writes has to be committed either way.
    func take(
        _ signed: Signed, at now: Date, from origin: Origin, in transaction: WriteTransaction
    ) throws -> PasskeyRefusal? {
        guard let challenges, try challenges.spend(signed.proof.challenge, at: now, in: transaction) else {
            return .usedChallenge
        }
        let passkey = signed.passkey
        if try passkey.noteUse(signed.proof, at: now, in: transaction) { return nil }
        guard try Passkey.find(credentialID: passkey.credentialID, in: transaction) != nil else {
            return .unknownCredential
        }
        try AuditEntry(
            .signIn, by: .person(passkey.personID), on: "person:\(passkey.personID.rawValue)", outcome: .refused,
            detail: "passkey:\(passkey.id.rawValue), whose count of signatures went back: it may have been copied",
            from: origin
        ).append(
            to: try Person.find(passkey.personID, in: transaction)?.organizationID, at: now, in: transaction)
        return .counterWentBack
    }
}
