import Foundation
import LanyardAPI

/// What a verified identity token says about a person.
public struct IdentityToken: Equatable, Sendable {
    /// The person, by an identifier that is the same for all apps of a team and never changes. It is the person's
    /// `User.id`, if they belong to an organization that has consented.
    public var subject: String
    /// The `Organization.id`; nil for a personal account. In the standard profile only with the scope `organization`.
    public var organizationID: String?
    /// Nil if the app has not requested it, and for many people of a school.
    public var email: String?
    /// Whether the service vouches that the address is the person's. For managed accounts it does so only for addresses
    /// in a verified domain of their organization.
    public var isEmailVerified: Bool
    /// Whether the address is a hidden one, which forwards to the person's own.
    public var isPrivateEmail: Bool
    /// Present only in the first token for a native app.
    public var realUserStatus: RealUserStatus?
    /// The person's identifier in the apps of the app's former team, for 60 days after a transfer.
    public var transferSubject: String?
    /// The roster scopes that the person's organization has granted this app.
    public var scopes: [Scope]
    /// Whether the service copies the nonce of a request into its tokens.
    public var isNonceSupported: Bool
    /// `acr`: how the person was authenticated, as one URN such as `urn:lanyard:acr:password`. Standard profile only.
    public var authenticationContext: String?
    /// `amr`: what the person has shown, in words of RFC 8176. `pwd` is a password; `swk` the key of a registered
    /// device or of a passkey; `user` means that the passkey's authenticator made sure of the person by a fingerprint,
    /// a face or a PIN; `otp` is a one-time code or a recovery code; `mfa` stands beside them if two of different kinds
    /// were shown. Standard profile only.
    public var authenticationMethods: [String]
    /// The session at the provider, which a `BackChannelLogout` names when it ends. Standard profile only.
    public var sessionID: String?
    public var issuedAt: Date
    public var expiresAt: Date
    /// When the person last signed in.
    public var authenticatedAt: Date?
}

extension IdentityToken {
    /// Who owns the account.
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
    /// - Parameter nonce: the nonce of the authorization request; nil if there was none.
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
