import Crypto
import Foundation
import Ground
import Hummingbird
import LanyardClient
import Logging

/// Begins, finds and ends sessions, whether browsers or a store keep them.
struct SessionKeeper: Sendable {
    /// A session with the cookie that it came with.
    struct Found: Sendable {
        var session: Session
        /// The sealed key of a stored session; nil for one that the browser keeps itself.
        let key: String?
    }

    private let client: LanyardClient
    private let store: (any SessionStore)?
    private let seal: Seal
    let cookies: SignInCookies
    private let lifetime: TimeInterval
    private let check: DailyCheck
    private let ended = EndedSessions()

    private static let checkInterval: TimeInterval = 86_400
    /// Seconds for which a session stays valid while the service does not answer.
    private static let uncheckedMax: TimeInterval = 3 * 86_400
    private static let patience = Duration.seconds(3)

    init(
        client: LanyardClient,
        store: (any SessionStore)?,
        seal: Seal,
        cookies: SignInCookies,
        lifetime: TimeInterval
    ) {
        self.client = client
        self.store = store
        self.seal = seal
        self.cookies = cookies
        self.lifetime = lifetime
        check = DailyCheck(client: client)
    }

    /// - Returns: the session cookie. It is always a new one, so that a cookie planted before is worthless.
    func begin(_ person: SignedInPerson, refreshToken: String?) async throws -> Cookie {
        let session = Session(
            person: person, refreshToken: refreshToken, checkedAt: client.now(),
            expiresAt: client.now().addingTimeInterval(lifetime))
        guard let store else { return try cookie(session, key: nil) }
        let key = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }.base64URLEncoded
        try await store.put(session, id: Self.id(key))
        return try cookie(session, key: key)
    }

    /// The session of the browser if it is still valid. Once a day the service is asked whether it may go on.
    /// - Returns: the session, and a cookie to set if the session has changed.
    func find(in request: Request, logger: Logger) async throws -> (found: Found?, cookie: Cookie?) {
        guard let value = request.cookies[cookies.sessionName]?.value else { return (nil, nil) }
        guard var found = try await open(value), isGood(found.session) else {
            return (nil, cookies.expired(cookies.sessionName))
        }
        guard let refreshToken = found.session.refreshToken,
            found.session.checkedAt.addingTimeInterval(Self.checkInterval) <= client.now()
        else { return (found, nil) }

        switch await check.outcome(
            for: found.session, refreshToken: refreshToken, patience: Self.patience, logger: logger)
        {
        case .allowed(let email, let time):
            found.session.person.email = email
            found.session.checkedAt = time
            if let key = found.key { try await store?.put(found.session, id: Self.id(key)) }
            return (found, try cookie(found.session, key: found.key))
        case .gone:
            try await end(found)
            return (nil, cookies.expired(cookies.sessionName))
        case .unknown:
            guard client.now() < found.session.checkedAt.addingTimeInterval(Self.uncheckedMax) else {
                return (nil, cookies.expired(cookies.sessionName))
            }
            return (found, nil)
        }
    }

    /// Signs out the browser that the request came from.
    /// - Returns: the cookie that deletes the session.
    func end(_ request: Request) async throws -> Cookie {
        if let value = request.cookies[cookies.sessionName]?.value, let found = try await open(value) {
            try await end(found)
        }
        return cookies.expired(cookies.sessionName)
    }

    /// Signs out a person everywhere.
    /// - Parameter time: sessions that began later are kept, because the person has come back since.
    func endAll(ofPerson id: String, until time: Date) async throws {
        ended.add(id, until: time, now: client.now())
        try await store?.removeAll(ofPerson: id, until: time)
    }

    private func end(_ found: Found) async throws {
        if let key = found.key { try await store?.remove(Self.id(key)) }
    }

    private func isGood(_ session: Session) -> Bool {
        client.now() < session.expiresAt && !ended.includes(session.person)
    }

    private func open(_ value: String) async throws -> Found? {
        guard let store else { return seal.open(value, as: Session.self).map { Found(session: $0, key: nil) } }
        guard let key = seal.open(value, as: String.self) else { return nil }
        return try await store.session(Self.id(key)).map { Found(session: $0, key: key) }
    }

    private func cookie(_ session: Session, key: String?) throws -> Cookie {
        let value = try key.map { try seal.seal($0) } ?? seal.seal(session)
        return cookies.session(value, lifetime: session.expiresAt.timeIntervalSince(client.now()))
    }

    private static func id(_ key: String) -> String {
        Data(SHA256.hash(data: Data(key.utf8))).base64URLEncoded
    }
}
