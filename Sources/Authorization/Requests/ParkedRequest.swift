import Directory
import Foundation
import Storage

/// A validated authorization request that waits on the server while the person signs in and decides. It belongs
/// to the browser that brought it: the token in the address alone opens nothing.
package struct ParkedRequest: Sendable {
    package enum Answer: String, Sendable, SQLConvertible {
        case allowed
        case denied
    }

    let tokenHash: SecretHash
    package let request: AuthorizationRequest
    /// Nil until the person has decided.
    package let answer: Answer?

    package static let lifetime: TimeInterval = 3_600
}

extension ParkedRequest {
    /// - Parameter browser: the secret in the cookie of the browser.
    /// - Returns: the token for the address of the page.
    package static func insert(
        _ request: AuthorizationRequest, browser: String, at now: Date, from surroundings: Surroundings,
        in transaction: WriteTransaction
    ) throws -> Secret {
        let token = Secret(from: surroundings)
        try transaction.execute("DELETE FROM parked_request WHERE expires_at <= $1", [now])
        try transaction.execute(
            """
            INSERT INTO parked_request (token_hash, client_id, redirect_uri, scopes, state, nonce, response_mode,
                                        code_challenge, browser_hash, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """,
            [
                token.hash, request.clientID, request.redirectURI, request.scopes, request.state, request.nonce,
                request.responseMode, request.codeChallenge, SecretHash(of: browser), now.addingTimeInterval(lifetime),
            ])
        return token
    }

    /// Nil if it is unknown, expired, or another browser's.
    package static func find(
        token: String, browser: String, at now: Date, in transaction: some Transaction
    ) throws -> ParkedRequest? {
        let hash = SecretHash(of: token)
        return try transaction.first(
            """
            SELECT client_id, redirect_uri, scopes, state, nonce, response_mode, code_challenge, answer
            FROM parked_request
            WHERE token_hash = $1 AND browser_hash = $2 AND expires_at > $3
            """,
            [hash, SecretHash(of: browser), now]
        ) { row in
            ParkedRequest(
                tokenHash: hash,
                request: AuthorizationRequest(
                    clientID: try row[0], redirectURI: try row[1], scopes: try row[2], state: try row[3],
                    nonce: try row[4], responseMode: try row[5], codeChallenge: try row[6]),
                answer: try row[7])
        }
    }

    func record(_ answer: Answer, in transaction: WriteTransaction) throws {
        try transaction.execute(
            "UPDATE parked_request SET answer = $2 WHERE token_hash = $1", [tokenHash, answer])
    }
}

extension ParkedRequest {
    /// The same request as it stands in this transaction.
    static func reload(_ parked: ParkedRequest, in transaction: some Transaction) throws -> ParkedRequest? {
        try transaction.first("SELECT answer FROM parked_request WHERE token_hash = $1", [parked.tokenHash]) { row in
            ParkedRequest(tokenHash: parked.tokenHash, request: parked.request, answer: try row[0])
        }
    }
}
