import Directory
import Foundation
import Ground

/// What an identity token that we signed says of its bearer; whether its time is over does not matter.
package struct IdentityTokenHint: Decodable, Sendable {
    package let iss: String
    package let aud: String
    package let sub: String
}

extension SigningKeys {
    /// Reads an identity token that an app hands back as a hint. OpenID Connect RP-Initiated Logout §2.
    /// - Returns: nil unless one of our published keys signed it.
    package func hint(_ token: String) async throws -> IdentityTokenHint? {
        struct Header: Decodable {
            let alg: String
            let kid: String
            let typ: String?
        }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard token.utf8.count <= 8_192, parts.count == 3, let headerJSON = Data(base64URLEncoded: parts[0]),
            let header = try? JSONDecoder().decode(Header.self, from: headerJSON),
            let algorithm = SigningAlgorithm(rawValue: header.alg),
            // What is of a type of its own is no identity token.
            header.typ == nil,
            let claims = Data(base64URLEncoded: parts[1]), let signature = Data(base64URLEncoded: parts[2]),
            let key = try await published(algorithm).first(where: { $0.keyID.isExactly(header.kid) }),
            key.hasSigned(Data("\(parts[0]).\(parts[1])".utf8), signature)
        else { return nil }
        return try? JSONDecoder().decode(IdentityTokenHint.self, from: claims)
    }
}
