import Storage

/// How identity tokens and notifications are signed: the `alg` of a JWS. RFC 7518 §3.1.
package enum SigningAlgorithm: String, Sendable, Hashable, CaseIterable, Codable, SQLConvertible {
    /// Every client can verify it, and the compatible profile has no other.
    case rs256 = "RS256"
    /// For standard clients that ask for it. A signature takes a thirtieth of the time, and is a quarter as long.
    case es256 = "ES256"
}
