import Directory
import Foundation
import Ground
import JWTKit

/// A JWS whose signature was checked against the server's published keys, as an app would.
struct SignedToken {
    let header: [String: Any]
    let claims: [String: Any]

    /// - Parameter keys: the answer of `/auth/oauth2/v2/keys`.
    static func verify(_ token: String, with keys: Answer) async throws -> SignedToken {
        let collection = JWTKeyCollection()
        try await collection.add(jwksJSON: keys.body)
        _ = try await collection.verify(token, as: Anything.self)
        let parts = token.split(separator: ".").map { Data(base64URLEncoded: String($0)) ?? Data() }
        func object(_ data: Data) throws -> [String: Any] {
            try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        }
        return SignedToken(header: try object(parts[0]), claims: try object(parts[1]))
    }

    private struct Anything: JWTPayload {
        func verify(using algorithm: some JWTAlgorithm) throws {}
    }
}
