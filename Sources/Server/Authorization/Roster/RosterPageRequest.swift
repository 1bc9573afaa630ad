import Directory
import Foundation
import Ground

/// The parameters `limit`, `pageToken` and `role` of a list call: how long the page is, where it begins, and which
/// people it has.
struct RosterPageRequest {
    let limit: Int
    /// The internal id after which the page begins.
    let last: Int64
    let role: RosterRole?

    static let defaultLimit = 100
    /// A `limit` above this is clamped to it.
    static let limitMax = 1_000

    /// - Parameters:
    ///   - roles: the roles by which the list can be filtered; if empty, `role` is ignored.
    ///   - open: opens a page token.
    /// - Throws: ``RosterRefusal/badRequest(message:)``
    init(_ parameters: RequestParameters, roles: [RosterRole], open: (String) throws -> PageToken) throws {
        // One description of the service calls the parameter `nextPageToken`; clients that follow it must work too.
        let token = try (parameters["pageToken"] ?? parameters["nextPageToken"]).map(open)
        last = token?.last ?? 0
        limit = try Self.limit(parameters["limit"])
        let asked = try roles.isEmpty ? nil : Self.role(parameters["role"], among: roles)
        if let token, let asked, token.role != asked {
            throw RosterRefusal.badRequest(
                message: "role is another than on the page before. Begin again without pageToken.")
        }
        role = asked ?? token?.role
    }

    private static func limit(_ text: String?) throws -> Int {
        guard let text else { return defaultLimit }
        let digits = text.utf8.allSatisfy(\.isDigit)
        // A number that does not fit into an Int means "as many as possible".
        guard digits, text.contains(where: { $0 != "0" }) else {
            throw RosterRefusal.badRequest(message: "limit must be a whole number from 1, not “\(text.prefix(32))”.")
        }
        return min(Int(text) ?? limitMax, limitMax)
    }

    private static func role(_ text: String?, among roles: [RosterRole]) throws -> RosterRole? {
        guard let text else { return nil }
        guard let role = RosterRole(lenient: text), roles.contains(role) else {
            let known = roles.map(\.rawValue).joined(separator: ", ")
            throw RosterRefusal.badRequest(message: "role must be one of \(known), not “\(text.prefix(32))”.")
        }
        return role
    }
}
