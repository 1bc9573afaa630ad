import Authorization
import Crypto
import Directory
import Foundation
import Ground
import Storage

/// A key that a program invents for a request, so that it can repeat the request if the answer was lost: the request is
/// carried out once, and gets the same answer each time. draft-ietf-httpapi-idempotency-key-header.
package struct RequestKey: Sendable {
    private let hash: SecretHash

    /// How long an answer is kept, in seconds.
    static let memory: TimeInterval = 86_400

    /// - Returns: nil unless the text has 16 to 255 printable ASCII characters. Shorter keys could be the same by
    ///   accident.
    package init?(_ text: String) {
        guard (16...255).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            return nil
        }
        hash = SecretHash(of: text)
    }

    /// The key together with the request for which it was used.
    struct Request: Sendable {
        let key: SecretHash
        let hash: SecretHash
    }

    func request(
        _ change: some Change, in organization: OrganizationReference, ifVersion version: String?
    ) throws -> Request {
        func name<C: Change>(_: C) -> String { C.name }
        let input = String(decoding: try JSONEncoder.administration.encode(change), as: UTF8.self)
        return Request(
            key: hash,
            hash: SecretHash(of: [name(change), "\(organization)", version ?? "", input].joined(separator: "\n")))
    }
}

extension RequestKey.Request {
    /// The answer that the same request got before; nil if it is new.
    /// - Throws: ``OperationError/invalid(field:reason:)`` if the key was used for another request.
    func reply(
        to caller: Actor, _ services: AdministrationServices, in transaction: some Transaction
    ) throws -> Data? {
        let kept = try transaction.first(
            """
            SELECT request_hash, reply FROM administration_reply
            WHERE caller = $1 AND key_hash = $2 AND created_at > $3
            """, [caller.text, key, services.surroundings.now().addingTimeInterval(-RequestKey.memory)]
        ) { row in (hash: try row["request_hash"] as SecretHash, reply: try row["reply"] as [UInt8]) }
        guard let kept else { return nil }
        guard kept.hash == hash else {
            throw OperationError.invalid(field: "Idempotency-Key header", reason: "was used for another request")
        }
        return try services.opened(kept.reply, for: purpose(caller))
    }

    /// Stores an answer, in the transaction of the change.
    /// - Throws: ``OperationError/refused(_:remedy:)`` if the same key arrived twice at the same time.
    func keep(_ reply: Data, in act: Act) throws {
        try act.transaction.execute(
            "DELETE FROM administration_reply WHERE created_at <= $1",
            [act.now.addingTimeInterval(-RequestKey.memory)])
        let isNew =
            try act.transaction.execute(
                """
                INSERT INTO administration_reply (caller, key_hash, request_hash, reply, created_at)
                VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING
                """,
                [
                    act.actor.text, key, hash, try act.context.services.sealed(reply, for: purpose(act.actor)), act.now,
                ]) > 0
        guard isNew else {
            throw OperationError.refused("A request with this Idempotency-Key has come at the same time.")
        }
    }

    private func purpose(_ caller: Actor) -> String { "administration_reply \(caller.text) \(key.prefix)" }
}

extension AdministrationServices {
    func sealed(_ data: Data, for purpose: String) throws -> [UInt8] {
        try masterKey.seal(data, for: purpose)
    }

    func opened(_ sealed: [UInt8], for purpose: String) throws -> Data {
        Data(try masterKey.open(sealed, for: purpose))
    }
}
