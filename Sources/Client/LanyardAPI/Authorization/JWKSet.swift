/// The public keys with which identity tokens and notifications are verified. RFC 7517 section 5.
public struct JWKSet: Codable, Equatable, Sendable {
    public var keys: [JWK]

    public init(keys: [JWK]) {
        self.keys = keys
    }
}

/// One public key: of RSA (RFC 7518 section 6.3.1), or of the curve P-256 (section 6.2.1).
public struct JWK: Codable, Equatable, Sendable {
    /// `RSA` or `EC`
    public var keyType: String
    /// The key id, ten characters: the `kid` in the header of what the key has signed.
    public var keyID: String?
    /// `sig`
    public var use: String?
    /// `RS256` or `ES256`
    public var algorithm: String?
    /// `n` of an RSA key: big-endian, base64url without padding.
    public var modulus: String?
    /// `e` of an RSA key: big-endian, base64url without padding; usually `AQAB`.
    public var exponent: String?
    /// `crv` of an EC key: `P-256`.
    public var curve: String?
    /// `x` of an EC key: 32 bytes, base64url without padding.
    public var x: String?
    /// `y` of an EC key: 32 bytes, base64url without padding.
    public var y: String?

    public init(rsaModulus modulus: String, exponent: String, keyID: String) {
        self.keyType = "RSA"
        self.keyID = keyID
        self.use = "sig"
        self.algorithm = "RS256"
        self.modulus = modulus
        self.exponent = exponent
    }

    public init(p256X x: String, y: String, keyID: String) {
        self.keyType = "EC"
        self.keyID = keyID
        self.use = "sig"
        self.algorithm = "ES256"
        self.curve = "P-256"
        self.x = x
        self.y = y
    }

    private enum CodingKeys: String, CodingKey {
        case keyType = "kty"
        case keyID = "kid"
        case use
        case algorithm = "alg"
        case modulus = "n"
        case exponent = "e"
        case curve = "crv"
        case x, y
    }
}
