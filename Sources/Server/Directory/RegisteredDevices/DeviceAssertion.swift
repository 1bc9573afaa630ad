import Crypto
import Foundation
import Ground

/// What a device signs to sign its person in: a JWT (RFC 7519), parsed and not verified yet.
///
/// One fixed algorithm, and no key from the header: nothing in an unverified token decides how it is verified. RFC 8725
/// §3.
struct DeviceAssertion {
    /// `typ`. Other things that the device's key signs, for example for apps, have another one and are not accepted.
    /// RFC 8725 §3.11.
    static let type = "device-session+jwt"
    static let bytesMax = 4_096
    static let lifetimeMax: TimeInterval = 300
    /// Allowed difference of clocks, in seconds.
    static let tolerance: TimeInterval = 60

    /// The thumbprint of the device's key (`kid`).
    let keyID: String
    let claims: Claims
    private let token: CompactJWT

    struct Claims: Decodable {
        /// The device's ``RegisteredDevice/publicID``.
        let iss: String
        let aud: String
        let iat: Double
        let exp: Double
        let nbf: Double?
        let jti: String
    }

    /// - Throws: ``DeviceRefusal/invalidAssertion(_:)``
    init(_ text: String) throws {
        func refuse(_ reason: String) -> DeviceRefusal { .invalidAssertion(reason) }
        do {
            token = try CompactJWT(text, bytesMax: Self.bytesMax)
        } catch .tooLong {
            throw refuse("it is longer than \(Self.bytesMax) bytes")
        } catch .notCompact {
            throw refuse("it is no signed JWT in compact form")
        } catch .header {
            throw refuse("its header is no JSON object with alg")
        }
        let header = token.header
        guard header.algorithm == "ES256" else { throw refuse("alg is “\(header.algorithm.prefix(16))”, not ES256") }
        guard header.type == Self.type else { throw refuse("typ is not \(Self.type)") }
        guard !header.hasCritical else { throw refuse("it has critical headers") }
        guard let keyID = header.keyID else { throw refuse("kid is missing") }
        guard let claims = token.claims(Claims.self) else {
            throw refuse("it lacks one of iss, aud, iat, exp and jti, or one of them is of another type")
        }
        self.keyID = keyID
        self.claims = claims
    }

    /// - Throws: ``DeviceRefusal/invalidAssertion(_:)``
    func check(by key: DeviceKey, audience: String, at now: Date) throws {
        func refuse(_ reason: String) -> DeviceRefusal { .invalidAssertion(reason) }
        guard keyID == key.thumbprint else { throw refuse("kid is not the thumbprint of the device's key") }
        guard key.isValid(token.signature, of: token.signedBytes) else {
            throw refuse("the device's key has not signed it")
        }
        let now = now.timeIntervalSince1970
        guard claims.aud.isExactly(audience) else { throw refuse("aud is not this server") }
        guard claims.exp > now - Self.tolerance else { throw refuse("exp is over") }
        guard claims.iat <= now + Self.tolerance else { throw refuse("iat lies in the future") }
        guard claims.nbf.map({ $0 <= now + Self.tolerance }) ?? true else { throw refuse("nbf lies in the future") }
        guard claims.exp > claims.iat, claims.exp - claims.iat <= Self.lifetimeMax else {
            throw refuse("exp is not within \(Int(Self.lifetimeMax)) seconds after iat")
        }
        guard (16...128).contains(claims.jti.utf8.count) else { throw refuse("jti is not 16 to 128 bytes") }
    }

    /// When the assertion has expired for certain, so that its use need not be remembered longer.
    var isOverAt: Date { Date(timeIntervalSince1970: claims.exp + Self.tolerance + 1) }

    /// Identifies the assertion among all used ones. The space, which client ids cannot have, separates it from
    /// assertions of clients.
    var useHash: SecretHash { SecretHash(of: "device \(claims.iss)\n\(claims.jti)") }
}
