import Authorization
import Directory
import Foundation
import Storage

/// Makes a new signing key for each algorithm.
package struct RotateSigningKeys: Change {
    package typealias Answer = SigningKeyChange

    package static let name = "signing-key.rotate"
    package static let summary = """
        Makes a new key for each algorithm, which signs in half an hour; or at once, and then all others are retired.
        """
    package static let privilege = Privilege.operateServer
    package static let route = OperationRoute(.post, "signing-keys/rotate")
    package static let explanations = [
        "now": "Whether it signs at once and all other keys are retired, because somebody may have them.",
        "algorithm": "Only the key of this algorithm.",
    ]
    package static let undo = UndoRule.impossible("Retire the new key, if it is not to sign.")
    package static let hasBulkForm = false

    package let now: Bool?
    package let algorithm: SigningAlgorithm?

    package init(now: Bool? = nil, algorithm: SigningAlgorithm? = nil) {
        self.now = now
        self.algorithm = algorithm
    }

    private var algorithms: [SigningAlgorithm] { algorithm.map { [$0] } ?? SigningAlgorithm.allCases }

    package func subject(in context: OperationContext, _ transaction: some Transaction) -> ServerSigningKeys {
        ServerSigningKeys()
    }

    /// Making a key takes long.
    package func prepare(
        for keys: ServerSigningKeys, in context: OperationContext
    ) throws -> [SigningKeys.NewKey] {
        try algorithms.map {
            try SigningKeys.NewKey($0, under: context.services.masterKey, surroundings: context.services.surroundings)
        }
    }

    package func blankPreparation(
        for keys: ServerSigningKeys, in context: OperationContext
    ) -> [SigningKeys.NewKey] {
        algorithms.map { SigningKeys.NewKey(blank: $0, surroundings: context.services.surroundings) }
    }

    package func carryOut(
        on keys: ServerSigningKeys, _ new: [SigningKeys.NewKey], in act: Act
    ) throws -> SigningKeyChange {
        let retired = now == true ? try SigningKeys.retireAll(of: algorithms, at: act.now, in: act.transaction) : []
        for key in new {
            try key.insert(
                signingFrom: now == true ? act.now : act.now.addingTimeInterval(SigningKeys.notice), at: act.now,
                in: act.transaction)
            try act.record(
                .signingKeyCreated, on: ServerSigningKey(keyID: key.keyID), called: "new key", key.algorithm.rawValue)
        }
        for key in retired { try act.recordRetired(key) }
        return SigningKeyChange(
            made: new.map(\.keyID), retired: retired,
            keys: try SigningKeyRecord.all(at: act.now, in: act.transaction))
    }
}
