import Crypto
import CryptoExtras
import Directory
import Foundation
import Ground

/// An authenticator in memory and the browser before it, as WebAuthn describes them. What it says can be made wrong in each
/// place, so that tests see who notices.
package struct SoftAuthenticator: Sendable {
    package enum Key: Sendable {
        case es256(P256.Signing.PrivateKey)
        case edDSA(Curve25519.Signing.PrivateKey)
        case rs256(_RSA.Signing.PrivateKey)
    }

    package let key: Key
    package let credentialID: [UInt8]
    /// 0 for one that does not count.
    package var count: UInt32 = 0
    package var userHandle: [UInt8]?

    package init(_ key: Key = .es256(P256.Signing.PrivateKey()), credentialID: [UInt8]? = nil) {
        self.key = key
        self.credentialID = credentialID ?? Array(UUID().uuidString.utf8)
    }

    /// What the browser and the authenticator say; the values are those of good ones.
    package struct Words: Sendable {
        package var origin = "https://id.school.example"
        package var partyID = "id.school.example"
        /// Nil for the right one.
        package var type: String?
        package var crossOrigin: Bool?
        /// The `status` of `tokenBinding`; nil for none.
        package var tokenBinding: String?
        /// Present, verified, may be and is backed up.
        package var flags: UInt8 = 0x1d
        package var format = "none"
        /// The algorithm that the key says it is of; nil for the right one.
        package var algorithm: Int?
        /// The algorithm that an attestation says it is of; nil for that of the key.
        package var statementAlgorithm: Int?
        /// Bytes behind the authenticator data.
        package var trailing: [UInt8] = []
        /// Bytes behind the attestation.
        package var trailingAttestation: [UInt8] = []
        /// How many bytes at the end of the authenticator data are missing.
        package var missing = 0
        /// Bytes that pad the client data or the attestation.
        package var padding = 0
        /// Whether a signature is another one's.
        package var isForged = false
        /// CBOR of extensions; nil for none.
        package var extensions: [UInt8]?

        package init() {}
    }

    // MARK: Registering

    package func register(_ challenge: String, _ words: Words = Words()) throws -> PasskeyRegistration {
        let client = clientData(words.type ?? "webauthn.create", challenge, words)
        let data = authenticatorData(words, attested: true)
        let statement: [UInt8]
        switch words.format {
        case "packed":
            let signature = try sign(words.isForged ? [0] + data : data, client)
            statement =
                CBOR.map(2) + CBOR.text("alg")
                + CBOR.number(words.statementAlgorithm ?? words.algorithm ?? algorithm) + CBOR.text("sig")
                + CBOR.bytes(signature)
        default: statement = CBOR.map(0)
        }
        let padding =
            words.padding == 0 ? [] : CBOR.text("pad") + CBOR.bytes([UInt8](repeating: 0, count: words.padding))
        return PasskeyRegistration(
            clientData: client,
            attestation: CBOR.map(padding.isEmpty ? 3 : 4) + CBOR.text("fmt") + CBOR.text(words.format)
                + CBOR.text("attStmt") + statement + CBOR.text("authData") + CBOR.bytes(data) + padding
                + words.trailingAttestation)
    }

    // MARK: Signing

    package func assert(_ challenge: String, _ words: Words = Words()) throws -> PasskeyAssertion {
        let client = clientData(words.type ?? "webauthn.get", challenge, words)
        let data = authenticatorData(words, attested: false)
        var signature = try sign(data, client)
        if words.isForged { signature[signature.count - 1] ^= 1 }
        return PasskeyAssertion(
            credentialID: credentialID, clientData: client, authenticatorData: data, signature: signature,
            userHandle: userHandle)
    }

    /// What the script of a page writes into its form.
    package func fields(_ challenge: String, _ words: Words = Words()) throws -> [String: String] {
        let client = clientData(words.type ?? "webauthn.get", challenge, words)
        let data = authenticatorData(words, attested: false)
        return [
            "credential_id": Data(credentialID).base64URLEncoded, "client_data": Data(client).base64URLEncoded,
            "authenticator_data": Data(data).base64URLEncoded,
            "signature": Data(try sign(data, client)).base64URLEncoded,
            "user_handle": Data(userHandle ?? []).base64URLEncoded,
        ]
    }

    package func registrationFields(_ challenge: String, name: String) throws -> [String: String] {
        let client = clientData("webauthn.create", challenge, Words())
        let attestation =
            CBOR.map(3) + CBOR.text("fmt") + CBOR.text("none") + CBOR.text("attStmt") + CBOR.map(0)
            + CBOR.text("authData") + CBOR.bytes(authenticatorData(Words(), attested: true))
        return [
            "client_data": Data(client).base64URLEncoded, "attestation": Data(attestation).base64URLEncoded,
            "passkey_name": name,
        ]
    }

    private func clientData(_ type: String, _ challenge: String, _ words: Words) -> [UInt8] {
        let cross =
            (words.crossOrigin.map { #","crossOrigin":\#($0)"# } ?? "")
            + (words.tokenBinding.map { #","tokenBinding":{"status":"\#($0)","id":"AAAA"}"# } ?? "")
        let padding = words.padding == 0 ? "" : #","pad":"\#(String(repeating: "x", count: words.padding))""#
        return Array(
            #"{"type":"\#(type)","challenge":"\#(challenge)","origin":"\#(words.origin)"\#(cross)\#(padding)}"#.utf8)
    }

    private func authenticatorData(_ words: Words, attested: Bool) -> [UInt8] {
        var flags = words.flags
        if attested { flags |= 0x40 }
        if words.extensions != nil { flags |= 0x80 }
        var data = Array(SHA256.hash(data: Data(words.partyID.utf8))) + [flags]
        data += withUnsafeBytes(of: count.bigEndian) { Array($0) }
        if attested {
            data += [UInt8](repeating: 0, count: 16)
            data += [UInt8(credentialID.count >> 8), UInt8(credentialID.count & 0xff)] + credentialID
            data += publicKey(words.algorithm ?? algorithm)
        }
        data += words.extensions ?? []
        return Array(data.dropLast(words.missing)) + words.trailing
    }

    package var algorithm: Int {
        switch key {
        case .es256: -7
        case .edDSA: -8
        case .rs256: -257
        }
    }

    /// RFC 9053 §7.1 and §7.2, RFC 8230 §4.
    private func publicKey(_ algorithm: Int) -> [UInt8] {
        switch key {
        case .es256(let key):
            let point = Array(key.publicKey.rawRepresentation)
            return CBOR.map(5) + CBOR.number(1) + CBOR.number(2) + CBOR.number(3) + CBOR.number(algorithm)
                + CBOR.number(-1) + CBOR.number(1) + CBOR.number(-2) + CBOR.bytes(Array(point.prefix(32)))
                + CBOR.number(-3) + CBOR.bytes(Array(point.suffix(32)))
        case .edDSA(let key):
            return CBOR.map(4) + CBOR.number(1) + CBOR.number(1) + CBOR.number(3) + CBOR.number(algorithm)
                + CBOR.number(-1) + CBOR.number(6) + CBOR.number(-2)
                + CBOR.bytes(Array(key.publicKey.rawRepresentation))
        case .rs256(let key):
            guard let parts = try? key.publicKey.getKeyPrimitives() else { return [] }
            return CBOR.map(4) + CBOR.number(1) + CBOR.number(3) + CBOR.number(3) + CBOR.number(algorithm)
                + CBOR.number(-1) + CBOR.bytes(Array(parts.modulus)) + CBOR.number(-2)
                + CBOR.bytes(Array(parts.publicExponent))
        }
    }

    private func sign(_ data: [UInt8], _ client: [UInt8]) throws -> [UInt8] {
        let message = Data(data) + Data(SHA256.hash(data: Data(client)))
        return switch key {
        case .es256(let key): Array(try key.signature(for: message).derRepresentation)
        case .edDSA(let key): Array(try key.signature(for: message))
        case .rs256(let key):
            Array(try key.signature(for: message, padding: .insecurePKCS1v1_5).rawRepresentation)
        }
    }
}

/// CBOR as authenticators write it. RFC 8949 §3.
package enum CBOR {
    package static func map(_ count: Int) -> [UInt8] { head(5, count) }
    package static func text(_ text: String) -> [UInt8] { head(3, text.utf8.count) + Array(text.utf8) }
    package static func bytes(_ bytes: [UInt8]) -> [UInt8] { head(2, bytes.count) + bytes }
    package static func number(_ number: Int) -> [UInt8] { number < 0 ? head(1, -1 - number) : head(0, number) }

    private static func head(_ major: UInt8, _ count: Int) -> [UInt8] {
        let type = major << 5
        return switch count {
        case ..<24: [type | UInt8(count)]
        case ..<256: [type | 24, UInt8(count)]
        case ..<65_536: [type | 25, UInt8(count >> 8), UInt8(count & 0xff)]
        default: [type | 26] + withUnsafeBytes(of: UInt32(count).bigEndian) { Array($0) }
        }
    }
}
