import Foundation
import JWTKit
import LanyardAPI

/// A verified server-to-server notification.
public struct ServerNotification: Equatable, Sendable {
    /// The same in each attempt to deliver it. Remember it, and do nothing when it comes again.
    public var id: String
    public var issuedAt: Date
    /// Ignore types that you do not know. On `consent-revoked`, delete all data of the organization.
    public var events: [NotificationEvent]
}

extension LanyardClient {
    /// Checks signature, issuer, audience and times of what was posted to the app's notification endpoint.
    ///
    /// A notification is tried again for days, so its age alone is no reason to refuse it. Nor is a time of issue up to a
    /// day ahead: the signature and the id protect, and an app whose clock is slow must hear of a revocation.
    /// - Parameter body: `{"payload":"<JWS>"}`
    /// - Throws: `LanyardClientError.invalidToken`, or the reason why the keys could not be read.
    public func verify(notification body: Data) async throws -> ServerNotification {
        guard let envelope = try? JSONDecoder().decode(NotificationEnvelope.self, from: body) else {
            throw LanyardClientError.invalidToken(.malformed)
        }
        let claims = try await verificationKeys.verify(envelope.payload, as: NotificationClaims.self)
        let payload = claims.payload
        guard [configuration.issuer, configuration.issuer + "/auth/oauth2/v2"].contains(payload.issuer) else {
            throw LanyardClientError.invalidToken(.wrongIssuer)
        }
        guard payload.audience == configuration.clientID else {
            throw LanyardClientError.invalidToken(.wrongAudience)
        }
        try requireCurrent(
            issuedAt: Double(payload.issuedAt), expiresAt: claims.expiresAt,
            aheadAtMost: max(.seconds(86_400), configuration.clockTolerance))
        return ServerNotification(
            id: payload.id,
            issuedAt: Date(timeIntervalSince1970: Double(payload.issuedAt)),
            events: payload.events
        )
    }
}

private struct NotificationClaims: JWTPayload {
    let payload: NotificationPayload
    /// Not part of the protocol, but honoured.
    let expiresAt: Double?

    init(from decoder: any Decoder) throws {
        payload = try NotificationPayload(from: decoder)
        expiresAt = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Double.self, forKey: .expiresAt)
    }

    func encode(to encoder: any Encoder) throws {
        try payload.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(expiresAt, forKey: .expiresAt)
    }

    /// Left to the caller, who knows the time and what to expect.
    func verify(using algorithm: some JWTAlgorithm) {}

    private enum CodingKeys: String, CodingKey {
        case expiresAt = "exp"
    }
}
