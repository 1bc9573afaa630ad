import Foundation
import HTTPTypes
import Hummingbird
import LanyardAPI
import LanyardClient
import Logging

/// The route at which the service notifies the app about people.
struct NotificationRoutes: Sendable {
    let signIn: SignIn

    func mount<Context: SignInContext>(on router: Router<Context>) {
        router.post(RouterPath(signIn.configuration.path + "/notifications")) { request, context in
            try await receive(request, context)
        }
    }

    /// Answers 200 also to a repeated notification, so that the service stops sending it; 400 if it cannot be trusted;
    /// 503 if that cannot be verified now, so that it is sent again.
    private func receive(_ request: Request, _ context: some SignInContext) async throws -> HTTPResponse.Status {
        let body = try await request.smallBody()
        let notification: ServerNotification
        do {
            notification = try await signIn.client.verify(notification: Data(body.readableBytesView))
        } catch LanyardClientError.invalidToken(let defect) {
            context.logger.warning("notification refused", metadata: ["defect": "\(defect)"])
            return .badRequest
        } catch let error as LanyardClientError {
            context.logger.warning("notification not verified", metadata: ["error": "\(error)"])
            return .serviceUnavailable
        }
        guard !signIn.seen.contains(notification.id) else { return .ok }
        for event in notification.events {
            try await apply(event, issuedAt: notification.issuedAt)
        }
        signIn.seen.add(notification.id, until: notification.replayableUntil, now: signIn.client.now())
        return .ok
    }

    private func apply(_ event: NotificationEvent, issuedAt: Date) async throws {
        let time = event.time ?? issuedAt
        switch event.change {
        case .personStopped(let personID):
            try await signIn.keeper.endAll(ofPerson: personID, until: time)
        case .accountDeleted(let personID):
            // A deleted account cannot have signed in again, so end everything up to now, whatever the event's time is.
            try await signIn.keeper.endAll(ofPerson: personID, until: max(time, signIn.client.now()))
            try await signIn.configuration.names.forget(person: personID)
        case .emailEnabled, .emailDisabled, .organizationStopped, .other:
            break
        }
        var event = event
        event.time = time
        try await signIn.configuration.onChange(event)
    }
}
