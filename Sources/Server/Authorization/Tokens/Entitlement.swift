import Directory
import Foundation
import Storage

/// A living grant, and whom its tokens speak of: read in the transaction that found it alive.
struct Entitlement: Sendable {
    let grant: Grant
    let app: App
    let person: Person
    /// Whose roster it is, or who owns the account.
    let organization: Organization?
    /// Of a person who signs in.
    let claims: PersonClaims?

    /// - Throws: ``OAuthError`` `invalid_grant` if what the grant rests on is over.
    init(_ grant: Grant, of app: App, in transaction: some Transaction) throws {
        guard grant.revokedAt == nil else { throw Self.over("the grant is revoked") }
        guard let person = try Person.find(grant.personID, in: transaction) else {
            throw Self.over("the person is gone")
        }
        self.grant = grant
        self.app = app
        self.person = person
        switch grant.basis {
        case .organization(let id):
            guard let consent = try Consent.find(id, in: transaction), consent.revokedAt == nil else {
                throw Self.over("the consent was revoked")
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
            // A new password ends what was signed in with the old one: on lost devices too, and what was still on the
            // way then, as a code or an approved device. So does a deactivation that was taken back since.
            guard person.signInVersion == grant.version else {
                throw Self.over("the password was changed, or the person was signed out of everything, since")
            }
            // What a lost device got goes with the device.
            if let device = grant.deviceID, try RegisteredDevice.find(device, in: transaction) == nil {
                throw Self.over("the device that signed the person in was removed")
            }
            organization = try person.organizationID.flatMap { try Organization.find($0, in: transaction) }
            claims = try PersonClaims(
                of: person, in: organization, to: app, grant.profile, consent: consent, in: transaction)
        }
    }

    private static func over(_ reason: String) -> OAuthError {
        OAuthError(.invalidGrant, reason, description: TokenService.expiredRefreshToken)
    }
}
