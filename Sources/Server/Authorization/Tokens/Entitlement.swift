import Directory
import Foundation
import Storage

/// A living grant with the person and organization of its tokens, as read in the transaction that found it alive.
struct Entitlement: Sendable {
    let grant: Grant
    let app: App
    let person: Person
    /// The organization whose roster it is, or that owns the account.
    let organization: Organization?
    /// The claims about the person, if the grant is for a sign-in.
    let claims: PersonClaims?

    /// - Throws: ``OAuthError`` `invalid_grant` if the consent or sign-in behind the grant has ended.
    init(_ grant: Grant, of app: App, at now: Date, in transaction: some Transaction) throws {
        guard grant.revokedAt == nil else { throw Self.over("the grant is revoked") }
        guard let person = try Person.find(grant.personID, in: transaction) else {
            throw Self.over("the person is gone")
        }
        self.grant = grant
        self.app = app
        self.person = person
        switch grant.basis {
        case .organization(let id):
            guard let consent = try Consent.find(id, in: transaction), consent.isAlive(at: now) else {
                throw Self.over("the consent has ended")
            }
            guard let organization = try Organization.find(consent.organizationID, in: transaction) else {
                throw Self.over("the organization is gone")
            }
            self.organization = organization
            claims = nil
        case .person(let id):
            guard let consent = try SignInConsent.find(id, in: transaction), consent.revokedAt == nil else {
                throw Self.over("the person has stopped using the app")
            }
            if case .refused(let reason) = try SignInAccess.decide(app: app, person: person, in: transaction) {
                throw Self.over(reason.text)
            }
            // A new password ends all sign-ins with the old one, including those on lost devices, and codes and
            // approved devices that were not redeemed yet. So does a deactivation, even if it was reversed.
            guard person.signInVersion == grant.version else {
                throw Self.over("the password was changed, or the person was signed out of everything, since")
            }
            // When a device is removed, the grants that it obtained end too.
            if let device = grant.deviceID, try RegisteredDevice.find(device, in: transaction) == nil {
                throw Self.over("the device that signed the person in was removed")
            }
            organization = try person.organizationID.flatMap { try Organization.find($0, in: transaction) }
            claims = try PersonClaims(
                of: person, in: organization, to: app, grant.profile, consent: consent, at: now, in: transaction)
        }
    }

    private static func over(_ reason: String) -> OAuthError {
        OAuthError(.invalidGrant, reason, description: TokenService.expiredRefreshToken)
    }
}
