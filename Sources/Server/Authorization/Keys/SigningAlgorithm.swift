import Storage

/// How identity tokens and notifications are signed: the `alg` of a JWS. RFC 7518 §3.1.
package enum SigningAlgorithm: String, Sendable, Hashable, CaseIterable, SQLConvertible {
    /// What every client can read, and the only one of the profile that we are compatible with.
    case rs256 = "RS256"
    /// For standard clients that ask for it: the signature costs a thirtieth, and is a quarter as long.
    case es256 = "ES256"
}
