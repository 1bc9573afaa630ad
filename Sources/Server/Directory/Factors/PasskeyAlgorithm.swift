import CFido2
import Storage

/// The algorithms of keys that are accepted, as COSE numbers them (RFC 9053 §2, RFC 8812 §2), most wanted first.
package enum PasskeyAlgorithm: Int, CaseIterable, Sendable, SQLConvertible {
    case es256 = -7
    case edDSA = -8
    /// The one that Windows Hello has on older computers.
    case rs256 = -257

    /// Calls `body` with a key as libfido2 reads it.
    /// - Parameter bytes: the key as libfido2 writes it: x and y, 32 bytes each; x, 32 bytes; modulus and exponent, 256
    ///   and 3 bytes.
    /// - Returns: nil if it is no such key, for example if the point is not on the curve.
    func withKey<Result>(_ bytes: [UInt8], _ body: (OpaquePointer) -> Result) -> Result? {
        switch self {
        case .es256:
            var owned = es256_pk_new()
            defer { es256_pk_free(&owned) }
            guard let key = owned, es256_pk_from_ptr(key, bytes, bytes.count) == FIDO_OK else { return nil }
            return body(key)
        case .edDSA:
            var owned = eddsa_pk_new()
            defer { eddsa_pk_free(&owned) }
            guard let key = owned, eddsa_pk_from_ptr(key, bytes, bytes.count) == FIDO_OK else { return nil }
            return body(key)
        case .rs256:
            var owned = rs256_pk_new()
            defer { rs256_pk_free(&owned) }
            guard let key = owned, rs256_pk_from_ptr(key, bytes, bytes.count) == FIDO_OK else { return nil }
            return body(key)
        }
    }
}
