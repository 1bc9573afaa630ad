import Directory
import Foundation
import Ground
import Storage

extension TokenService {
    /// Tokens for a device without a browser, once its person has decided. RFC 8628 §3.4.
    /// - Throws: ``OAuthError`` `authorization_pending`, `slow_down`, `access_denied`, `expired_token`, `invalid_grant`
    package func redeem(
        deviceCode: String, client credentials: ClientAuthenticator.Credentials, origin: Origin
    ) async throws -> Answer {
        let now = surroundings.now()
        let (issued, nonce) = try await database.decide { transaction -> Verdict<(Issued, String?), OAuthError> in
            let client = try authenticator.authenticate(credentials, in: transaction)
            guard let device = try DeviceAuthorization.find(deviceCode: deviceCode, in: transaction),
                device.clientID.isExactly(client.clientID)
            else { return .commitRefusal(.telling(.invalidGrant, "the device code is unknown")) }
            guard now < device.expiresAt else {
                return .commitRefusal(.telling(.expiredToken, "the device code has expired"))
            }
            guard try device.noteQuestion(at: now, in: transaction) else {
                return .commitRefusal(.telling(.slowDown, "wait longer before asking again"))
            }
            switch device.answer {
            case nil: return .commitRefusal(.telling(.authorizationPending, "the person has not decided yet"))
            case .denied: return .commitRefusal(.telling(.accessDenied, "the person said no"))
            case .allowed: break
            }
            guard let consent = device.consentID, let person = device.personID, let since = device.authenticatedAt,
                let version = device.version, try device.take(in: transaction)
            else { return .commitRefusal(.telling(.invalidGrant, "the device code was used before")) }
            let issued = try issue(
                Allowed(
                    .standard, on: .person(consent), by: person,
                    scopes: device.scopes.intersection(client.app.scopes(in: .standard)), authenticatedAt: since,
                    version: version, device: device.approvedByDevice, methods: device.methods),
                to: client, detail: "device, \(device.scopes.text)", from: origin, at: now, in: transaction)
            return .commit((issued, device.nonce))
        }
        return try await answer(issued, nonce: nonce, at: now)
    }
}
