import Crypto
import Directory
import Foundation
import Ground
import Storage

extension TokenService {
    package struct Redemption: Sendable {
        let code: String
        let redirectURI: String?
        let codeVerifier: String?

        package init(code: String, redirectURI: String?, codeVerifier: String?) {
            self.code = code
            self.redirectURI = redirectURI
            self.codeVerifier = codeVerifier
        }
    }

    /// Redeems a code for tokens. RFC 6749 §4.1.3.
    /// - Throws: ``OAuthError`` `invalid_grant` if the code is unknown, spent, expired or another client's: a roster
    ///   app gets the same answer for all of these, so that guessing reveals nothing.
    ///   ``ProtocolManners/wrongRedirectURI`` if the redirect URI differs from that of the request.
    package func redeem(
        _ redemption: Redemption, _ profile: Profile, client credentials: ClientAuthenticator.Credentials,
        origin: Origin
    ) async throws -> Answer {
        let now = surroundings.now()
        let (issued, found) = try await database.decide {
            transaction -> Verdict<(Issued, AuthorizationCode), OAuthError> in
            let client = try authenticator.authenticate(credentials, in: transaction)
            guard let found = try AuthorizationCode.find(redemption.code, in: transaction), found.profile == profile
            else {
                return .commitRefusal(
                    OAuthError(.invalidGrant, "the code is unknown", description: Self.expiredCode))
            }
            if let refusal = try Self.refusal(of: found, redemption, client, in: transaction) {
                return .commitRefusal(refusal)
            }
            if found.redeemedAt != nil {
                // RFC 6749 §4.1.2: a second use means that the code was stolen. It is recorded once, because anybody
                // could fill the audit trail with the code of a public client.
                if let grant = found.grantID, try Grant.revoke(grant, at: now, in: transaction) {
                    try AuditEntry(
                        .codeReplayed, by: .client(client.clientID), on: "app:\(client.app.id.rawValue)",
                        outcome: .refused, from: origin
                    ).append(to: Self.chain(of: found, in: transaction), at: now, in: transaction)
                }
                return .commitRefusal(
                    OAuthError(
                        .invalidGrant, "the code was used before; what it gave is revoked",
                        description: Self.spentCode))
            }
            guard now < found.expiresAt else {
                return .commitRefusal(
                    OAuthError(.invalidGrant, "the code has expired", description: Self.expiredCode))
            }
            let issued = try issue(
                Allowed(
                    profile, on: found.basis, by: found.personID,
                    scopes: found.scopes.intersection(client.app.scopes(in: profile)),
                    authenticatedAt: found.authenticatedAt, version: found.version, device: found.deviceID,
                    methods: found.methods, session: found.sessionHash, claims: found.claims),
                to: client, from: origin, at: now, in: transaction)
            // The code is spent before anything is signed. If signing fails, the person is asked again, and the code
            // cannot be tried a second time.
            guard try found.redeem(for: issued.entitlement.grant.id, at: now, in: transaction) else {
                // The new grant must not stay.
                return .rollBack(
                    OAuthError(
                        .invalidGrant, "the code was used at the same moment", description: Self.spentCode))
            }
            return .commit((issued, found))
        }
        let status = issued.entitlement.claims?.realUserStatus(for: found.requestHash, to: found.redirectURI)
        return try await answer(issued, nonce: found.nonce, realUserStatus: status, at: now)
    }

    /// Why the client may not redeem the code; nil if it may.
    private static func refusal(
        of found: AuthorizationCode, _ redemption: Redemption, _ client: ClientAuthenticator.Client,
        in transaction: some Transaction
    ) throws -> OAuthError? {
        guard found.clientID == client.clientID else {
            return OAuthError(
                .invalidGrant, "the code belongs to another client",
                description: try client.isOfApp(of: found.clientID, in: transaction)
                    ? "client_id mismatch. The code was not issued to \(client.clientID)." : expiredCode)
        }
        let manners = found.profile.manners
        let mayOmitIt = manners.nativeAppsMayOmitRedirectURI && ReturnURL.isNative(found.redirectURI)
        guard redemption.redirectURI.map({ found.redirectURI.isExactly($0) }) ?? mayOmitIt else {
            return OAuthError(
                manners.wrongRedirectURI,
                "redirect_uri is not the one of the authorization request",
                description:
                    "redirect_uri mismatch. The code was not issued to \(redemption.redirectURI?.prefix(2_048) ?? "").")
        }
        if let challenge = found.codeChallenge {
            guard let verifier = redemption.codeVerifier, Self.isVerifier(verifier),
                Self.challenge(of: verifier) == challenge
            else { return .telling(.invalidGrant, "code_verifier does not fit the code_challenge") }
        } else if redemption.codeVerifier != nil {
            // RFC 9700 §4.8.2: an attacker has removed the challenge from the authorization request.
            return .telling(.invalidGrant, "code_verifier without a code_challenge before it")
        }
        // Otherwise the client would begin a session whose end it is never told.
        if let session = found.sessionHash, found.redeemedAt == nil,
            try !BrowserSession.isLiving(firstHash: session, in: transaction)
        {
            return OAuthError(.invalidGrant, "the person has signed out since", description: Self.expiredCode)
        }
        return try refusal(ofWhatIsRegistered: found, for: client.app, in: transaction)
    }

    /// Refuses what the operator has taken from the app since the code was issued. What people and organizations have
    /// withdrawn is checked when the grant is made.
    private static func refusal(
        ofWhatIsRegistered found: AuthorizationCode, for app: App, in transaction: some Transaction
    ) throws -> OAuthError? {
        func over(_ reason: String) -> OAuthError { OAuthError(.invalidGrant, reason, description: expiredCode) }
        guard try app.hasReturnURL(found.redirectURI, in: transaction) else {
            return over("the return URL of the code is none of the app's any more")
        }
        guard found.codeChallenge != nil || !app.requiresProofKey else {
            return over("the app has to prove by now that a code is its own")
        }
        guard !found.profile.manners.needsScope || !found.scopes.intersection(app.scopes).isEmpty else {
            return over("the app is not registered for the scopes any more")
        }
        return nil
    }

    /// The organization in whose audit trail a code is recorded; nil for the server's own.
    private static func chain(
        of code: AuthorizationCode, in transaction: some Transaction
    ) throws -> OrganizationID? {
        switch code.basis {
        case .organization(let id): try Consent.find(id, in: transaction)?.organizationID
        case .person: try Person.find(code.personID, in: transaction)?.organizationID
        }
    }

    /// Whether a text has 43 to 128 unreserved characters. RFC 7636 §4.1.
    private static func isVerifier(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-._~".utf8.contains($0) }
    }

    private static func challenge(of verifier: String) -> String {
        Data(SHA256.hash(data: Data(verifier.utf8))).base64URLEncoded
    }
}
