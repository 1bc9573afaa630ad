import Authorization
import Storage

/// Takes a signing key out of service, because somebody else may have it.
package struct RetireSigningKey: Change {
    package typealias Answer = SigningKeyChange

    package static let name = "signing-key.retire"
    package static let summary = """
        Takes a signing key out of service: it is published no more, and nothing that it has signed is believed.
        """
    package static let privilege = Privilege.operateServer
    package static let route = OperationRoute(.post, "signing-keys/{key}/retire")
    package static let explanations = ["key": "The id of the key, as signing-key.list has it."]
    package static let undo = UndoRule.impossible(
        "Somebody may have the key, so it never signs again. Make another one.")
    package static let hasBulkForm = false

    package let key: String

    package init(key: String) { self.key = key }

    package func subject(in context: OperationContext, _ transaction: some Transaction) -> ServerSigningKeys {
        ServerSigningKeys()
    }

    package func carryOut(on keys: ServerSigningKeys, _: Void, in act: Act) throws -> SigningKeyChange {
        let retired: [String]
        do {
            retired = try SigningKeys.retire(key, at: act.now, in: act.transaction).keyIDs
        } catch SigningKeys.Problem.unknown(let id) {
            throw OperationError.notFound(.signingKey, id, in: nil)
        } catch let problem as SigningKeys.Problem {
            guard case .lastOne = problem else { throw OperationError.refused(problem.description) }
            throw OperationError.refused(
                problem.description,
                remedy: .init(
                    RotateSigningKeys.name, "--now",
                    use: .looking("makes another one that signs at once, and retires this one")))
        }
        for key in retired { try act.recordRetired(key) }
        return SigningKeyChange(
            made: [], retired: [key], keys: try SigningKeyRecord.all(at: act.now, in: act.transaction))
    }
}
