import Directory
import Storage

/// What an app is told of a person who signs in to it: all of it, before a request's scopes narrow it.
struct PersonClaims: Sendable {
    let person: Person
    /// The owner of a managed account.
    let organization: Organization?
    let consent: SignInConsent
    let givenName: String
    let familyName: String
    /// Nil if the person has none, as many pupils.
    let email: String?
    let isPrivateEmail: Bool
    /// What the organization lets the app read of its roster: schools only.
    let rosterScopes: ScopeSet?

    init(
        of person: Person, in organization: Organization?, to app: App, consent: SignInConsent,
        in transaction: some Transaction
    ) throws {
        self.person = person
        self.organization = organization
        self.consent = consent
        givenName = consent.givenName ?? person.givenName
        familyName = consent.familyName ?? person.familyName
        // A consent that hides the address never gives it away, whatever became of the hidden one.
        email =
            consent.hidesEmail
            ? try HiddenAddress.find(of: person.id, at: app.teamID, in: transaction)?.address : person.email
        isPrivateEmail = consent.hidesEmail && email != nil
        rosterScopes = try organization.flatMap {
            try Consent.living(app: app.id, organization: $0.id, in: transaction)?.scopes
        }
    }

    /// Nil if nothing was asked for that is there.
    func sharedUser(for scopes: ScopeSet) -> SharedUser? {
        let name = scopes.contains(.name) ? SharedUser.Name(firstName: givenName, lastName: familyName) : nil
        let email = scopes.contains(.email) ? email : nil
        return name == nil && email == nil ? nil : SharedUser(name: name, email: email)
    }
}
