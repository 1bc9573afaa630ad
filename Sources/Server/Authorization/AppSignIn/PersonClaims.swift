import Directory
import Ground
import Storage

/// What an app is told of a person who signs in to it: all of it, before a request's scopes narrow it.
struct PersonClaims: Sendable {
    let person: Person
    /// The owner of a managed account.
    let organization: Organization?
    let consent: SignInConsent
    /// What the app may have of the person by now: what they allowed, without what the operator has taken from the app.
    let scopes: ScopeSet
    let givenName: String
    let familyName: String
    /// Nil if the person has none, as many pupils.
    let email: String?
    let isPrivateEmail: Bool
    /// Whether somebody answers for it that the address is the person's: they themselves, who answered a code there, or
    /// the organization, whose domain it is in. What an operator or a file says of an address elsewhere counts for
    /// nothing.
    let isEmailVerified: Bool
    /// What the app can read of the organization's roster: schools only, and only in the compatible profile, whose tokens
    /// tell it.
    let rosterScopes: ScopeSet?
    /// The app came from another team after the person had begun to use it.
    let transfer: AppTransfer?

    init(
        of person: Person, in organization: Organization?, to app: App, _ profile: Profile, consent: SignInConsent,
        in transaction: some Transaction
    ) throws {
        self.person = person
        self.organization = organization
        self.consent = consent
        scopes = consent.scopes.intersection(app.scopes)
        givenName = consent.givenName ?? person.givenName
        familyName = consent.familyName ?? person.familyName
        rosterScopes = try organization.flatMap {
            guard profile.manners.tellsRosterScopes else { return nil }
            // A consent outlives the access rule, which every roster call asks too.
            guard case .allowed = try DataSharingAccess.decide(app: app, organization: $0, in: transaction) else {
                return nil
            }
            return try Consent.living(app: app.id, organization: $0.id, in: transaction)?.scopes
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
        // A consent that hides the person's address never gives it away, whatever became of the hidden one.
        email = try HiddenAddress.find(of: person.id, for: app.id, in: transaction)?.address
        isPrivateEmail = email != nil
        isEmailVerified = isPrivateEmail
    }

    /// Nil if nothing was asked for that is there.
    func sharedUser(for scopes: ScopeSet) -> SharedUser? {
        let scopes = scopes.intersection(self.scopes)
        let name = scopes.contains(.name) ? SharedUser.Name(firstName: givenName, lastName: familyName) : nil
        let email = scopes.contains(.email) ? email : nil
        return name == nil && email == nil ? nil : SharedUser(name: name, email: email)
    }

    /// 1, unknown: to a program on the person's own device, the first time. Whoever owns an account, the server cannot
    /// tell whether it is real; of managed ones nothing is said. docs/specifications/sign-in.md, 9.16.
    /// - Parameter request: that the token answers.
    func realUserStatus(for request: SecretHash, to redirectURI: String) -> Int? {
        organization == nil && consent.requestHash == request && ReturnURL.isNative(redirectURI) ? 1 : nil
    }
}
