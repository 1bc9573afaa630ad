import Directory
import Foundation
import Ground

extension NotificationOutbox {
    /// Completes a stored message with issuer, audience, the pairwise id and the time of this attempt.
    func complete(_ message: AddressedNotification, at now: Date) async throws -> OutgoingNotification {
        let (stored, event, client) = (message.stored, message.stored.event, message.client)
        let identifiers = try await teamIdentifiers.of(message.app.teamID)
        let sub = identifiers.text(of: message.person.id, in: message.person.organizationID)
        let claims: NotificationClaims =
            if event.isLogout {
                .logout(
                    BackChannelLogoutToken(
                        of: sub, in: event.session, from: standardIssuer, to: client.clientID, jti: stored.jti,
                        attempt: stored.attempts, at: now))
            } else {
                try self.claims(
                    of: event, sub: sub, organization: message.organization, to: client.clientID, jti: stored.jti,
                    at: now)
            }
        return OutgoingNotification(
            id: stored.id, appID: stored.appID, jti: stored.jti, type: event.type, url: message.url,
            attempts: stored.attempts,
            claims: claims, algorithm: event.isLogout ? client.signingAlgorithm : .rs256)
    }

    private func claims(
        of event: OutgoingNotification.Event, sub: String, organization: Organization?, to clientID: String,
        jti: String, at now: Date
    ) throws -> NotificationClaims {
        let issuedAt = Int(now.timeIntervalSince1970)
        if let organization {
            return .organization(
                .init(
                    iss: rosterIssuer, aud: clientID, iat: issuedAt, jti: jti,
                    events: [
                        .init(
                            type: event.type, sub: sub, orgID: organization.publicID, scopes: event.scopes ?? "",
                            eventTime: event.eventTime)
                    ]))
        }
        let inner = NotificationClaims.AboutPerson.Event(
            type: event.type, sub: sub, eventTime: event.eventTime, email: event.email,
            isPrivateEmail: event.email == nil ? nil : "true")
        return .person(
            .init(
                iss: issuer, aud: clientID, iat: issuedAt, exp: issuedAt + NotificationClaims.AboutPerson.lifetime,
                jti: jti,
                events: String(decoding: try JSONEncoder.stable.encode(inner), as: UTF8.self)))
    }

    /// The body of the request: `{"payload": "<JWS>"}`, or the form field `logout_token` (Back-Channel Logout §2.5).
    package func body(of notification: OutgoingNotification) async throws -> String {
        let key = try await keys.signing.current(notification.algorithm)
        // The characters of a JWS need no escaping, neither in JSON nor in a form.
        return switch notification.claims {
        case .organization, .person: "{\"payload\":\"\(try key.sign(notification.claims))\"}"
        case .logout: "logout_token=\(try key.sign(notification.claims, type: BackChannelLogoutToken.type))"
        }
    }
}
