import Foundation
import LanyardAPI

/// What a verified identity token says about a person.
public struct IdentityToken: Equatable, Sendable {
    /// The person, by an identifier that is the same for all apps of a team and never changes. It is the person's `User.id`,
    /// if they belong to an organization that has consented.
    public var subject: String
    /// The `Organization.id`; nil for a personal account. In the standard profile only with the scope `organization`.
    public var organizationID: String?
    /// Nil if the app has not asked for it, and for many people of a school.
    public var email: String?
    /// Whether the service vouches that mail to the address reaches the person. It does not for managed accounts: their
    /// organization gives the addresses out.
    public var isEmailVerified: Bool
    /// Whether the address is one that hides the person's own.
    public var isPrivateEmail: Bool
    /// Nil everywhere but in the first token for a native app.
    public var realUserStatus: RealUserStatus?
    /// Who the person is in another team's apps, for 60 days after the app came from that team.
    public var transferSubject: String?
    /// What the person's organization shares with this app besides.
    public var scopes: [Scope]
    /// Whether the service puts a nonce that it was given into its tokens.
    public var isNonceSupported: Bool
    /// How surely the person was recognized, and by what. Standard profile only. RFC 8176 has words for the latter.
    public var authenticationContext: String?
    public var authenticationMethods: [String]
    /// The session at the provider: what a `BackChannelLogout` names when it ends. Standard profile only.
    public var sessionID: String?
    public var issuedAt: Date
    public var expiresAt: Date
    /// When the person last signed in.
    public var authenticatedAt: Date?
}

extension IdentityToken {
    /// Whose account it is.
    public var account: Account {
        organizationID.map { .managed(organizationID: $0) } ?? .personal
    }
}

/// Who owns an account.
public enum Account: Hashable, Codable, Sendable {
    /// The person.
    case personal
    /// An organization, which decides what its people may use. The same id as `Organization.id`.
    case managed(organizationID: String)
}

extension LanyardClient {
    /// Checks signature, issuer, audience, times and nonce of a token that came with consent to data sharing. OpenID
    /// Connect Core section 3.1.3.7. For people who sign in there is `signIn.verify`.
    /// - Parameter nonce: The one that was sent in the authorization request; nil if none was.
    /// - Throws: `LanyardClientError.invalidToken`, or the reason why the keys could not be read.
    public func verify(identityToken token: String, nonce: String?) async throws -> IdentityToken {
        try await verifier(dataSharingKeys).verify(identityToken: token, nonce: nonce)
    }

    func verifier(_ keys: VerificationKeys) -> TokenVerifier {
        TokenVerifier(
            keys: keys, issuer: configuration.issuer, audience: configuration.clientID,
            clockTolerance: configuration.clockTolerance, now: now)
    }
}
