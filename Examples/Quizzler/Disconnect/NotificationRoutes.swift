import Foundation
import Hummingbird
import LanyardAPI
import LanyardClient
import Logging

/// Where the service tells that an organization has revoked its consent.
struct NotificationRoutes: Sendable {
    let client: LanyardClient
    let store: ConnectionStore
    let sync: SyncService
    let now: @Sendable () -> Date

    private static let bodyBytesMax = 64 << 10
    /// The service gives up after days, not weeks.
    private static let remembered: TimeInterval = 30 * 86_400

    func mount(on router: some RouterMethods<QuizzlerContext>) {
        router.post("lanyard/notifications", use: receive)
    }

    /// 200 also for a notification that came before, so that the service stops sending it; 400 for one that must not be
    /// trusted; 503 if that cannot be found out now, so that it is sent again.
    @Sendable func receive(_ request: Request, context: QuizzlerContext) async throws -> HTTPResponse.Status {
        let body = try await request.body.collect(upTo: Self.bodyBytesMax)
        let notification: ServerNotification
        do {
            notification = try await client.verify(notification: Data(body.readableBytesView))
        } catch LanyardClientError.invalidToken(let defect) {
            context.logger.warning("notification refused", metadata: ["defect": "\(defect)"])
            return .badRequest
        } catch let error as LanyardClientError {
            context.logger.warning("notification not verified", metadata: ["error": "\(error)"])
            return .serviceUnavailable
        }
        let doubtful = try await store.update { contents in
            contents.apply(notification, at: now(), forgettingBefore: now().addingTimeInterval(-Self.remembered))
        }
        doubtful.forEach(sync.request)
        return .ok
    }
}

extension ConnectionStore.Contents {
    /// Deletes what the notification says must go, once.
    /// - Returns: Organizations that have connected again after the event: a late notification about the earlier
    ///   consent, or a clock that differs. A sync tells which, because it fails without consent.
    mutating func apply(
        _ notification: ServerNotification,
        at time: Date,
        forgettingBefore oldest: Date
    ) -> [String] {
        guard seenNotifications[notification.id] == nil else { return [] }
        seenNotifications = seenNotifications.filter { $0.value >= oldest }
        seenNotifications[notification.id] = time

        var doubtful: [String] = []
        for event in notification.events where event.type == NotificationEvent.consentRevoked {
            guard let organizationID = event.organizationID, let connection = connections[organizationID] else {
                continue
            }
            // Event times are whole seconds: one of the second in which the organization connected may be earlier or later.
            if (event.time ?? notification.issuedAt) < connection.connectedAt {
                doubtful.append(organizationID)
            } else {
                end(connection, at: time, notice: connection.disconnectedNotice)
            }
        }
        return doubtful
    }
}
