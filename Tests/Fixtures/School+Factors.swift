import Crypto
import Directory
import Foundation
import Ground
import Storage

extension School {
    /// Seals nothing: it only keeps apart what was sealed for different purposes.
    package static let sealing = Sealing(
        seal: { Array($1.utf8) + [0] + $0 },
        open: { sealed, purpose in
            guard sealed.starts(with: Array(purpose.utf8) + [0]) else { throw OtherPurpose() }
            return Array(sealed.dropFirst(purpose.utf8.count + 1))
        })

    package struct OtherPurpose: Error {}

    package var challenges: PasskeyChallenges {
        PasskeyChallenges(
            party: RelyingParty(baseURL: "https://id.school.example")!,  // a good address
            key: SymmetricKey(data: [UInt8](repeating: 7, count: 32)))
    }

    package var factorChecker: FactorChecker {
        FactorChecker(
            database: database, sealing: Self.sealing, challenges: challenges, surroundings: fixed.surroundings)
    }

    package var factorSignIn: FactorSignIn { FactorSignIn(checker: factorChecker) }
    package var factorChanges: FactorChanges { FactorChanges(checker: factorChecker) }

    /// A challenge for the holder `browser`.
    package func challenge(for holder: String = "browser") -> String {
        challenges.make(for: holder, at: fixed.now, from: fixed.surroundings)
    }

    /// Adds a passkey of the person, who is signed in.
    /// - Returns: the authenticator, as it knows the person, and the recovery codes that came with the first one.
    package func addPasskey(
        _ authenticator: SoftAuthenticator = SoftAuthenticator(), in session: BrowserSession,
        _ words: SoftAuthenticator.Words = .init()
    ) async throws -> (SoftAuthenticator, FactorChanges.Outcome) {
        let outcome = try await factorChanges.add(
            .passkey(try authenticator.register(challenge(), words), name: "Phone", holder: "browser"), in: session,
            origin: .system, then: { _, _ in })
        var authenticator = authenticator
        authenticator.userHandle = challenges.userHandle(of: session.person.id)
        return (authenticator, outcome)
    }

    /// Sets up one-time codes of the person, who is signed in.
    /// - Returns: the secret, and the recovery codes that came with it.
    package func addOneTimeCodes(in session: BrowserSession) async throws -> (secret: [UInt8], FactorChanges.Outcome) {
        let key = try factorChanges.newOneTimeCodeKey(for: session.person.id)
        let code = OneTimeCode.code(of: key.secret, step: OneTimeCode.step(at: fixed.now))
        return (
            key.secret,
            try await factorChanges.add(
                .oneTimeCodes(code: code, sealed: key.sealed), in: session, origin: .system, then: { _, _ in })
        )
    }
}
