import Directory
import Foundation
import Ground
import Storage

/// Everything that an app may be told about a person who signs in to it, before the scopes of a request narrow it.
struct PersonClaims: Sendable {
    let person: Person
    /// The organization that owns the account; nil for a personal account.
    let organization: Organization?
    let consent: SignInConsent
    /// What the person has allowed, without scopes that the operator has since taken from the app.
    let scopes: ScopeSet
    let givenName: String
    let familyName: String
    /// Nil if the person has none, like many pupils.
    let email: String?
    let isPrivateEmail: Bool
    /// Whether the address is known to be the person's: they have entered a code that was sent there, or their
    /// organization has verified its domain. An address from the operator or a file, in any other domain, is not
    /// verified.
    let isEmailVerified: Bool
    /// What the person is in the organization; nil for personal accounts, and if the app may not be told.
    let standing: RosterStanding?
    /// What the app can read of the organization's roster. Only for schools, and only in the compatible profile, whose
    /// tokens have it.
    let rosterScopes: ScopeSet?
    /// The transfer of the app from another team, if the person used the app before it.
    let transfer: AppTransfer?

    init(
        of person: Person, in organization: Organization?, to app: App, _ profile: Profile, consent: SignInConsent,
        at now: Date, in transaction: some Transaction
    ) throws {
        self.person = person
        self.organization = organization
        self.consent = consent
        scopes = consent.scopes.intersection(app.scopes)
        givenName = consent.givenName ?? person.givenName
        familyName = consent.familyName ?? person.familyName
        standing = try scopes.contains(.roles) ? RosterStanding(of: person, at: now, in: transaction) : nil
        rosterScopes = try organization.flatMap {
            guard profile.manners.tellsRosterScopes else { return nil }
            // The access rule is checked too, since a consent stays when the rule changes. Every roster call does the
            // same.
            guard case .allowed = try DataSharingAccess.decide(app: app, organization: $0, in: transaction) else {
                return nil
            }
            return try Consent.living(app: app.id, organization: $0.id, at: now, in: transaction)?.scopes.intersection(
                app.scopes)
        }
        transfer = try AppTransfer.find(of: app.id, with: person.id, in: transaction)
        guard consent.hidesEmail else {
            email = person.email
            isPrivateEmail = false
            isEmailVerified =
                if let organization, let email = person.email {
                    try Domain.gave(email, of: organization.id, in: transaction)
                } else {
                    person.emailVerifiedAt != nil
                }
            return
        }
        // With a consent that hides the address, the person's own is never given, even if there is no hidden one.
        email = try HiddenAddress.find(of: person.id, for: app.id, in: transaction)?.address
        isPrivateEmail = email != nil
        isEmailVerified = isPrivateEmail
    }

    /// Nil if nothing was asked for that the person has.
    func sharedUser(for scopes: ScopeSet) -> SharedUser? {
        let scopes = scopes.intersection(self.scopes)
        let name = scopes.contains(.name) ? SharedUser.Name(firstName: givenName, lastName: familyName) : nil
        let email = scopes.contains(.email) ? email : nil
        return name == nil && email == nil ? nil : SharedUser(name: name, email: email)
    }

    /// `real_user_status`: 1 (unknown) for a program on the person's own device, the first time. The server cannot tell
    /// whether a personal account is a real person; for managed accounts the claim is left out.
    /// docs/specifications/sign-in.md, 9.16.
    /// - Parameter request: the hash of the request that the token answers.
    func realUserStatus(for request: SecretHash, to redirectURI: String) -> Int? {
        organization == nil && consent.requestHash == request && ReturnURL.isNative(redirectURI) ? 1 : nil
    }
}
