import CKerberos

#if canImport(Glibc)
    import Glibc
#endif

/// The library's state for one piece of work. It belongs to one thread, therefore every call of ``Kerberos`` makes one.
///
/// It reads the configuration when it is made, so that a change of the profile counts from the next call on.
final class KerberosContext {
    let raw: krb5_context

    /// - Throws: ``KerberosFailure`` if the configuration cannot be read.
    init() throws(KerberosFailure) {
        var context: krb5_context?
        let code = krb5_init_context(&context)
        guard code == 0, let context else { throw KerberosFailure(code, in: nil) }
        raw = context
        CardProcess.watch(context)
    }

    deinit { krb5_free_context(raw) }

    /// - Throws: ``KerberosFailure`` unless the code is 0.
    func check(_ code: krb5_error_code) throws(KerberosFailure) {
        guard code == 0 else { throw KerberosFailure(code, in: self) }
    }

    /// Makes a value with a function that returns a code and sets a pointer.
    func made<Value>(_ body: (inout Value?) -> krb5_error_code) throws(KerberosFailure) -> Value {
        var value: Value?
        try check(body(&value))
        guard let value else { throw KerberosFailure(krb5_error_code(ENOMEM), in: self) }
        return value
    }

    /// The principal of a name with its realm, such as `mika@CORP.ACME.TEST`; it lives as long as `body` runs.
    func withPrincipal<Value>(_ name: String, _ body: (krb5_principal) throws -> Value) throws -> Value {
        let principal: krb5_principal = try made { krb5_parse_name(raw, name, &$0) }
        defer { krb5_free_principal(raw, principal) }
        return try body(principal)
    }

    func text(of principal: krb5_const_principal?) -> String? {
        var name: UnsafeMutablePointer<CChar>?
        guard let principal, krb5_unparse_name(raw, principal, &name) == 0, let name else { return nil }
        defer { krb5_free_unparsed_name(raw, name) }
        return String(cString: name)
    }

    /// What the configuration says.
    func setting(_ section: String, _ name: String) -> String? {
        var profile: profile_t?
        guard krb5_get_profile(raw, &profile) == 0, let profile else { return nil }
        defer { profile_release(profile) }
        var value: UnsafeMutablePointer<CChar>?
        guard profile_get_string(profile, section, name, nil, nil, &value) == 0, let value else { return nil }
        defer { profile_release_string(value) }
        return String(cString: value)
    }

    /// The clock of the machine, corrected by what is known of the KDC's.
    func now() throws(KerberosFailure) -> Int64 {
        var time: krb5_timestamp = 0
        try check(krb5_timeofday(raw, &time))
        return Int64(UInt32(bitPattern: time))
    }
}
