import Directory
import Foundation
import Ground
import Storage

/// Issues access tokens: to API clients (RFC 6749 §4.4), and to people at a terminal (RFC 8628).
package struct APITokens: Sendable {
    /// Why no token is issued. The raw values are the error codes of RFC 6749 §5.2.
    package enum Refusal: String, Error {
        case invalidClient = "invalid_client"
        case invalidScope = "invalid_scope"
    }

    package struct Issued: Sendable {
        package let token: String
        /// In seconds.
        package let lifetime: Int
        package let scope: String
        /// The id of the organization in which the token is valid; it is valid in no other. Empty for the owner of a
        /// personal account, who belongs to none.
        package let organization: String
    }

    private static let lifetime = 3_600
    private let database: any Database
    private let surroundings: Surroundings

    package init(database: any Database, surroundings: Surroundings) {
        self.database = database
        self.surroundings = surroundings
    }

    /// - Parameter scope: privileges, separated by spaces; nil for all that the client has.
    /// - Throws: ``Refusal``
    package func issue(
        clientID: String, secret: String, scope: String?, from origin: Origin
    ) async throws -> Issued {
        let now = surroundings.now()
        let token = Secret(from: surroundings)
        return try await database.write { transaction in
            guard let client = try APIClient.find(clientID, secret: SecretHash(of: secret), in: transaction),
                try !Organization.isClosed(client.organizationID, in: transaction)
            else { throw Refusal.invalidClient }
            let wanted = try scope.map { try Self.privileges($0) } ?? client.privileges
            guard wanted.isSubset(of: client.privileges) else { throw Refusal.invalidScope }
            try TokenHolder(.client(client.id), wanted)
                .insert(token.hash, until: now.addingTimeInterval(Double(Self.lifetime)), in: transaction)
            try AuditEntry(
                .apiTokenIssued, by: .client(client.clientID), on: "api-client:\(client.id)", outcome: .done,
                detail: wanted.text, from: origin
            ).append(to: client.organizationID, at: now, in: transaction)
            return Issued(
                token: token.text, lifetime: Self.lifetime, scope: wanted.text,
                organization: try Self.name(of: client.organizationID, in: transaction))
        }
    }

    static func name(of organization: OrganizationID?, in transaction: some Transaction) throws -> String {
        try organization.flatMap { try Organization.find($0, in: transaction) }?.publicID ?? ""
    }

    static func privileges(_ scope: String) throws -> Set<Privilege> {
        guard let privileges = Set(exactly: scope), !privileges.isEmpty else { throw Refusal.invalidScope }
        return privileges
    }
}
