import Foundation
import Ground
import JWTKit
import LanyardAPI

/// A verified server-to-server notification.
public struct ServerNotification: Equatable, Sendable {
    /// The same in each attempt to deliver the notification. Remember it, and do nothing when it comes again.
    public var id: String
    public var issuedAt: Date
    /// When the notification expires; nil if it does not say.
    public var expiresAt: Date?
    /// What has happened, with a typed value in `change`. Ignore types that you do not know.
    public var events: [NotificationEvent]

    /// How long to remember the id of a notification without an expiry, since the service repeats it for days.
    private static let patience: TimeInterval = 30 * 86_400

    /// Until when the id has to be remembered, because the notification may come again.
    public var replayableUntil: Date {
        expiresAt ?? issuedAt.addingTimeInterval(Self.patience)
    }
}

extension LanyardClient {
    /// Verifies a notification: signature, issuer, audience and times of what was posted to the app's notification
    /// endpoint. It accepts both kinds, about organizations that share data and about people who sign in.
    ///
    /// Notifications are repeated for days, so an old one is refused only if it has expired. A time of issue up to a
    /// day ahead is accepted too: signature and id are protection enough, and an app with a slow clock must learn of a
    /// revocation.
    /// - Parameter body: `{"payload":"<JWS>"}`
    /// - Throws: `LanyardClientError.invalidToken`, or the reason why the keys could not be read.
    public func verify(notification body: Data) async throws -> ServerNotification {
        guard let envelope = try? JSONDecoder().decode(NotificationEnvelope.self, from: body) else {
            throw LanyardClientError.invalidToken(.malformed)
        }
        let keys = try keys(forNotification: envelope.payload)
        let payload = try await keys.verify(envelope.payload, as: NotificationClaims.self).payload
        guard payload.audience == configuration.clientID else {
            throw LanyardClientError.invalidToken(.wrongAudience)
        }
        try verifier(keys).requireCurrent(
            issuedAt: Double(payload.issuedAt), expiresAt: payload.expiresAt.map(Double.init),
            aheadAtMost: max(.seconds(86_400), configuration.clockTolerance))
        return ServerNotification(
            id: payload.id,
            issuedAt: Date(timeIntervalSince1970: Double(payload.issuedAt)),
            expiresAt: payload.expiresAt.map { Date(timeIntervalSince1970: Double($0)) },
            events: payload.events
        )
    }

    /// The keys of the issuer that the payload names. It is not verified yet, but that does no harm: it only chooses
    /// between two sets, both of the service.
    private func keys(forNotification payload: String) throws -> VerificationKeys {
        guard let claims = (try? CompactJWT(payload, bytesMax: TokenVerifier.bytesMax))?.claims(Issuer.self) else {
            throw LanyardClientError.invalidToken(.malformed)
        }
        switch claims.iss {
        case configuration.issuer: return signInKeys
        case configuration.issuer + "/auth/oauth2/v2": return dataSharingKeys
        default: throw LanyardClientError.invalidToken(.wrongIssuer)
        }
    }
}

private struct Issuer: Decodable {
    let iss: String
}

private struct NotificationClaims: JWTPayload {
    let payload: NotificationPayload

    init(from decoder: any Decoder) throws {
        payload = try NotificationPayload(from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
        try payload.encode(to: encoder)
    }

    /// Verified by the caller, which knows the time and the expected values.
    func verify(using algorithm: some JWTAlgorithm) {}
}
