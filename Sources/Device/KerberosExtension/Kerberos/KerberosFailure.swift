import CKerberos
import Ground
import SingleSignOnWire

#if canImport(Glibc)
    import Glibc
#endif

/// Why a KDC, a server for passwords or the library refused.
struct KerberosFailure: Error, Sendable, CustomStringConvertible {
    /// What a person or the extension can do something about.
    enum Kind: String, Codable, Sendable, CaseIterable {
        case wrongPassword, unknownPrincipal
        /// Also where an administrator has said that the password must be changed.
        case passwordExpired
        case accountLocked, accountDisabled, accountExpired
        /// The KDC says no more than that the account is locked or disabled.
        case accountRevoked
        case clockSkew, unreachable, policy, wrongPIN, cardLocked, noCertificate
        /// The library for smart cards has crashed, or says nothing.
        case cardFailed, other
    }

    let kind: Kind
    let code: krb5_error_code
    /// The library's words, in English, without secrets.
    let message: String
    /// How many seconds the KDC's clock is ahead of this one, if it is known.
    var skew: Int64?

    init(_ kind: Kind, code: krb5_error_code = 0, _ message: String) {
        (self.kind, self.code, self.message) = (kind, code, message)
    }

    init(_ code: krb5_error_code, in context: KerberosContext?) {
        self.code = code
        kind = Self.kind(of: code)
        if let text = krb5_get_error_message(context?.raw, code) {
            message = String(cString: text).inOneLine()
            krb5_free_error_message(context?.raw, text)
        } else {
            message = "error \(code)"
        }
    }

    var description: String { "Kerberos: \(message) (\(kind.rawValue), \(code))" }

    private static func kind(of code: krb5_error_code) -> Kind { kinds[Int(code)] ?? .other }

    private static let kinds: [Int: Kind] = [
        Int(KRB5KDC_ERR_PREAUTH_FAILED): .wrongPassword,
        Int(KRB5KRB_AP_ERR_BAD_INTEGRITY): .wrongPassword,
        Int(KRB5KDC_ERR_C_PRINCIPAL_UNKNOWN): .unknownPrincipal,
        Int(KRB5KDC_ERR_CLIENT_NOTYET): .accountDisabled,
        Int(KRB5KDC_ERR_KEY_EXP): .passwordExpired,
        Int(KRB5KDC_ERR_CLIENT_REVOKED): .accountRevoked,
        Int(KRB5KDC_ERR_NAME_EXP): .accountExpired,
        Int(KRB5KRB_AP_ERR_SKEW): .clockSkew,
        Int(KRB5_KDCREP_SKEW): .clockSkew,
        Int(KRB5_KDC_UNREACH): .unreachable,
        Int(KRB5_REALM_CANT_RESOLVE): .unreachable,
        Int(KRB5_REALM_UNKNOWN): .unreachable,
        Int(KRB5KDC_ERR_SVC_UNAVAILABLE): .unreachable,
        // What the system says of a network that is not there, such as on the way to a name server.
        Int(EAGAIN): .unreachable,
        Int(ENETUNREACH): .unreachable,
        Int(EHOSTUNREACH): .unreachable,
        Int(ETIMEDOUT): .unreachable,
        Int(ECONNREFUSED): .unreachable,
        Int(KRB5KDC_ERR_POLICY): .policy,
        Int(KRB5KDC_ERR_CANNOT_POSTDATE): .policy,
    ]

    /// Whether the same password would be refused again, or has become useless: it is never sent a second time then, because
    /// the KDC counts attempts and locks the account.
    var condemnsPassword: Bool {
        switch kind {
        case .wrongPassword, .passwordExpired, .accountLocked, .accountDisabled, .accountExpired, .accountRevoked,
            .unknownPrincipal, .policy:
            true
        case .clockSkew, .unreachable, .wrongPIN, .cardLocked, .noCertificate, .cardFailed, .other: false
        }
    }

    /// Whether a KDC has said this, so that one can be reached.
    var isAnswer: Bool { condemnsPassword || kind == .clockSkew }

    /// For apps: docs/specifications/extensible-single-sign-on.md, 14.
    var forApps: AuthorizationFailure {
        AuthorizationFailure(.failed, description)
    }
}
