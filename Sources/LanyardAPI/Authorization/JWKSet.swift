/// The public keys with which identity tokens and notifications are verified. RFC 7517 section 5.
public struct JWKSet: Codable, Equatable, Sendable {
    public var keys: [JWK]

    public init(keys: [JWK]) {
        self.keys = keys
    }
}

/// One RSA public key. RFC 7518 section 6.3.1.
public struct JWK: Codable, Equatable, Sendable {
    /// Always `RSA`.
    public var keyType: String
    /// Ten characters; the `kid` in the header of what the key has signed.
    public var keyID: String?
    /// `sig`
    public var use: String?
    /// `RS256`
    public var algorithm: String?
    /// Big-endian, base64url without padding.
    public var modulus: String?
    /// Big-endian, base64url without padding; `AQAB` as a rule.
    public var exponent: String?

    public init(rsaModulus modulus: String, exponent: String, keyID: String) {
        self.keyType = "RSA"
        self.keyID = keyID
        self.use = "sig"
        self.algorithm = "RS256"
        self.modulus = modulus
        self.exponent = exponent
    }

    private enum CodingKeys: String, CodingKey {
        case keyType = "kty"
        case keyID = "kid"
        case use
        case algorithm = "alg"
        case modulus = "n"
        case exponent = "e"
    }
}
