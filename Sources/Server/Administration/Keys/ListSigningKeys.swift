import Storage

/// Lists the server's signing keys, those included that were retired.
package struct ListSigningKeys: Inquiry {
    package static let name = "signing-key.list"
    package static let summary = "Lists the keys with which the server signs identity tokens and notifications."
    package static let privilege = Privilege.operateServer
    package static let route = OperationRoute(.get, "signing-keys")
    package static let explanations: [String: String] = [:]

    package struct Answer: Codable, Sendable {
        package let keys: [SigningKeyRecord]
    }

    package init() {}

    package func subject(in context: OperationContext, _ transaction: some Transaction) -> ServerSigningKeys {
        ServerSigningKeys()
    }

    package func answer(
        about keys: ServerSigningKeys, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        Answer(keys: try SigningKeyRecord.all(at: context.now, in: transaction))
    }
}
