import Directory
import Foundation
import Ground
import Storage

/// What administrators see of an API client. Its secret is shown once, by ``AddAPIClient``.
package struct APIClientRecord: Codable, Equatable, Sendable {
    package let clientID: String
    package let name: String
    package let privileges: [Privilege]
    package let createdAt: Date
    package let revokedAt: Date?

    init(_ client: APIClient) {
        clientID = client.clientID
        name = client.name
        privileges = client.privileges.inOrder
        createdAt = client.createdAt
        revokedAt = client.revokedAt
    }
}

/// Creates a client with which a program can administrate the organization.
package struct AddAPIClient: Change {
    package static let name = "api-client.add"
    package static let summary =
        "Lets a program administrate the organization. The answer is the only place where its secret is shown."
    package static let privilege = Privilege.manageAPIClients
    package static let undo = UndoRule.possible
    package static let route = OperationRoute(.post, "api-clients")
    package static let explanations = [
        "name": "What people call the program.",
        "privileges": "What it may do; nothing that whoever makes it may not do.",
    ]

    package struct Answer: Codable, Sendable {
        package let client: APIClientRecord
        package let secret: String
    }

    package let name: String
    package let privileges: [Privilege]

    package init(name: String, privileges: [Privilege]) {
        self.name = name
        self.privileges = privileges
    }

    package func carryOut(on organization: Organization, _: Void, in act: Act) throws -> Answer {
        let name = try FieldRule.name.check(name, field: "name")
        try act.checkRoom(for: .programs, in: organization)
        guard !privileges.isEmpty else { throw OperationError.invalid(field: "privileges", reason: "are missing") }
        for privilege in privileges {
            guard Privilege.ofOrganizations.contains(privilege) else {
                throw OperationError.invalid(
                    field: "privileges",
                    reason: "contain \(privilege.rawValue), which "
                        + (privilege == .operateServer ? "only the operator has" : "only members of teams have"))
            }
            guard act.context.authority.has(privilege, in: organization.id) else {
                throw OperationError.forbidden(privilege)
            }
        }
        let secret = Secret(from: act.surroundings)
        let client = try APIClient.insert(
            in: organization.id, name: name, privileges: Set(privileges), secret: secret.hash, at: act.now,
            from: act.surroundings, in: act.transaction)
        try act.record(.apiClientCreated, on: client, called: name, client.privileges.text)
        act.undo(by: RevokeAPIClient(client: client.clientID))
        return Answer(client: APIClientRecord(client), secret: secret.text)
    }
}

/// Revokes a client at once, with all its tokens.
package struct RevokeAPIClient: Change {
    package typealias Answer = APIClientRecord

    package static let name = "api-client.revoke"
    package static let summary = "Ends what a program may do, at once. Its tokens are void."
    package static let privilege = Privilege.manageAPIClients
    package static let undo = UndoRule.impossible("A program that was turned away gets a new secret.")
    package static let route = OperationRoute(.delete, "api-clients/{client}")
    package static let explanations = ["client": "The client id."]

    package let client: String

    package init(client: String) { self.client = client }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> APIClient {
        guard let found = try APIClient.find(client, in: transaction),
            context.organization.map({ $0.id == found.organizationID }) ?? true
        else { throw OperationError.notFound(.apiClient, client, in: context.organization?.name) }
        return found
    }

    package func carryOut(on client: APIClient, _: Void, in act: Act) throws -> APIClientRecord {
        guard client.revokedAt == nil else { throw OperationError.refused("\(client.name) is revoked already.") }
        try client.revoke(at: act.now, in: act.transaction)
        try act.record(.apiClientRevoked, on: client, called: client.name)
        return APIClientRecord(try APIClient.find(client.clientID, in: act.transaction) ?? client)
    }
}

/// Lists the programs that administrate the organization, revoked ones included.
package struct ListAPIClients: Inquiry {
    package static let name = "api-client.list"
    package static let summary = "Lists the programs that administrate the organization, revoked ones included."
    package static let privilege = Privilege.manageAPIClients
    package static let route = OperationRoute(.get, "api-clients")
    package static let explanations: [String: String] = [:]

    package struct Answer: Codable, Sendable {
        package let clients: [APIClientRecord]
    }

    package init() {}

    package func answer(
        about organization: Organization, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        Answer(clients: try APIClient.list(of: organization.id, in: transaction).map(APIClientRecord.init))
    }
}
