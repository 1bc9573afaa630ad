import Foundation
import Ground
import LanyardAPI

/// Reads one organization's roster.
///
/// Each request carries a token of the session, which is refreshed as needed, and is repeated by the client's
/// `RetryPolicy` when the service is busy or does not answer. Lists are read page by page while they are iterated, and
/// each iteration reads them again. An error ends the iteration, and the elements before it are not the whole list.
public struct RosterReader: Sendable {
    let client: LanyardClient
    let session: RosterSession

    /// Everyone in the organization, or everyone with a role in it.
    /// - Parameter limit: the size of a page; services accept at least 200.
    public func users(role: RosterRole? = nil, limit: Int = 200) -> RosterSequence<User> {
        list(Users.self, "/users", limit: limit, role: role)
    }

    /// Members of one class.
    /// - Parameter role: `student` or `instructor`, the role in this class.
    public func users(
        inClass classID: String,
        role: RosterRole? = nil,
        limit: Int = 200
    ) -> RosterSequence<User> {
        list(Users.self, "/classes/\(FormEncoding.escape(classID))/users", limit: limit, role: role)
    }

    /// All classes of the organization, with their members. `limit` is the size of a page.
    public func classes(limit: Int = 200) -> RosterSequence<RosterClass> {
        list(Classes.self, "/classes", limit: limit)
    }

    /// All locations of the organization. `limit` is the size of a page.
    public func locations(limit: Int = 200) -> RosterSequence<Location> {
        list(Locations.self, "/locations", limit: limit)
    }

    /// The organization itself.
    /// - Throws: `LanyardClientError`
    public func organization() async throws -> Organization {
        try await read("/organization")
    }

    /// One person.
    /// - Throws: `LanyardClientError.roster` with status 404 if the organization has no such person.
    public func user(_ id: String) async throws -> User {
        try await read("/users/\(FormEncoding.escape(id))")
    }

    /// One class.
    /// - Throws: `LanyardClientError.roster` with status 404 if the organization has no such class.
    public func `class`(_ id: String) async throws -> RosterClass {
        try await read("/classes/\(FormEncoding.escape(id))")
    }

    /// One location.
    /// - Throws: `LanyardClientError.roster` with status 404 if the organization has no such location.
    public func location(_ id: String) async throws -> Location {
        try await read("/locations/\(FormEncoding.escape(id))")
    }

    private func list<Page: RosterPage>(
        _ page: Page.Type,
        _ path: String,
        limit: Int,
        role: RosterRole? = nil
    ) -> RosterSequence<Page.Element> {
        RosterSequence { pageToken in
            // The filter is sent with every page, because the protocol does not guarantee that the page token contains
            // it.
            let parameters: FormParameters = ["limit": "\(limit)", "role": role?.rawValue, "pageToken": pageToken]
            let page: Page = try await read(parameters.appended(to: path))
            return try RosterSequence.Part(page)
        }
    }

    private func read<Value: Decodable & Sendable>(_ path: String) async throws -> Value {
        try await client.configuration.retryPolicy.run(sleep: client.sleep) {
            let token = try await session.accessToken()
            var response = try await get(path, with: token)
            if response.status == 401 {
                response = try await get(path, with: session.accessToken(replacing: token))
            }
            return try response.rosterValue()
        }
    }

    private func get(_ path: String, with token: AccessToken) async throws -> WireResponse {
        try await client.transport(
            WireRequest(.get, client.configuration.rosterBaseURL + path, accessToken: token.value))
    }
}

extension WireResponse {
    fileprivate func rosterValue<Value: Decodable>() throws -> Value {
        switch status {
        case 200:
            return try decode(Value.self)
        case 429:
            throw LanyardClientError.rateLimited(retryAfter: retryAfter, requestID: requestID)
        case 400...:
            let body = try? decode(RosterErrorBody.self)  // a courtesy; the status says it all
            throw LanyardClientError.roster(
                status: status, error: body?.error, message: body?.message, requestID: body?.requestID ?? requestID)
        default:
            throw asUnexpected
        }
    }
}
