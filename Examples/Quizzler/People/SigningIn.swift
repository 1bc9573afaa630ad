import Crypto
import Foundation
import Hummingbird
import LanyardAPI
import LanyardClient
import LanyardHummingbird

/// *Continue with Lanyard*, and the notifications that Lanyard sends about people and organizations.
struct SigningIn: Sendable {
    let client: LanyardClient
    let publicURL: String
    let secret: Data
    let people: PeopleStore
    let store: ConnectionStore
    let sync: SyncService
    let now: @Sendable () -> Date

    func make() throws -> SignIn {
        try SignIn(client: client, publicURL: publicURL, secret: secret) {
            $0.names = people
            $0.onSignIn = { person in try await people.welcome(person) }
            $0.onChange = { event in try await apply(event.change, at: event.time ?? now()) }
        }
    }

    /// Deletes the data that has to be deleted after a notification.
    private func apply(_ change: NotificationEvent.Change, at time: Date) async throws {
        switch change {
        case .personStopped(let personID):
            try await people.end(personID, at: time)
        case .accountDeleted(let personID):
            try await people.forget(person: personID)
        case .organizationStopped(let organizationID, _):
            let isDoubtful = try await store.update { $0.stop(organizationID, at: time, now: now()) }
            if isDoubtful { sync.request(organizationID) }
        case .emailEnabled, .emailDisabled, .other:
            break
        }
    }
}

extension ConnectionStore.Contents {
    /// Deletes everything about an organization that has revoked its consent.
    /// - Returns: Whether it has connected after the event. The notification is then late and about the earlier
    ///   consent, or a clock is wrong. A sync tells which, because it fails without consent.
    mutating func stop(_ organizationID: String, at time: Date, now: Date) -> Bool {
        guard let connection = connections[organizationID] else { return false }
        // Event times are whole seconds, so an event in the second in which the organization connected may be before or
        // after that.
        guard time >= connection.connectedAt else { return true }
        end(connection, at: now, notice: connection.disconnectedNotice)
        return false
    }
}

/// Signs out people whose account here was deleted, because their browser still has a session cookie.
struct KnownPeople: RouterMiddleware {
    let people: PeopleStore

    func handle(
        _ request: Request,
        context: QuizzlerContext,
        next: (Request, QuizzlerContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let person = context.person, await !people.knows(person) { context.person = nil }
        return try await next(request, context)
    }
}

/// The key that seals the session cookies: 32 random bytes in a file that only its owner can read.
enum SessionSecret {
    /// Reads the key, or makes it at the first start. It is kept so that a restart does not sign people out.
    static func load(from folder: URL) throws -> Data {
        let file = folder.appendingPathComponent("session.secret")
        if let secret = try? Data(contentsOf: file), !secret.isEmpty { return secret }
        let secret = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
        guard
            FileManager.default.createFile(
                atPath: file.path, contents: secret, attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: file.path]) }
        return secret
    }
}
