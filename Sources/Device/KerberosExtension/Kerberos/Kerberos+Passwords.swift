import CKerberos
import Ground

extension Kerberos {
    /// The server for passwords does not take the new one.
    struct RefusedPassword: Error, Sendable {
        /// The server's own words.
        let reason: String
    }

    /// Changes a password. The old one may have expired.
    /// - Parameter principal: with its realm.
    /// - Throws: ``RefusedPassword``; ``KerberosFailure`` if the old password is wrong or no server answers.
    static func changePassword(of principal: String, from old: Password, to new: Password) throws {
        let context = try KerberosContext()
        try context.withUser(principal) { client in
            let options = try InitialOptions(context, isCanonical: context.isEnterprise(client))
            krb5_get_init_creds_opt_set_renew_life(options.raw, 0)
            krb5_get_init_creds_opt_set_tkt_life(options.raw, 5 * 60)
            krb5_get_init_creds_opt_set_forwardable(options.raw, 0)
            krb5_get_init_creds_opt_set_proxiable(options.raw, 0)
            var credentials = krb5_creds()
            defer { krb5_free_cred_contents(context.raw, &credentials) }
            try context.get(&credentials, for: client, .password(old), service: "kadmin/changepw", options)
            var result: Int32 = 0
            var kind = krb5_data()
            var words = krb5_data()
            defer {
                krb5_free_data_contents(context.raw, &kind)
                krb5_free_data_contents(context.raw, &words)
            }
            try context.check(
                new.withCString {
                    krb5_change_password(context.raw, &credentials, $0, &result, &kind, &words)
                })
            guard result != 0 else { return SessionSignal.passwordChanged.tell(String(client.pointee.realm)) }
            var message: UnsafeMutablePointer<CChar>?
            guard krb5_chpw_message(context.raw, &words, &message) == 0, let message else {
                throw RefusedPassword(reason: String(kind).inOneLine())
            }
            defer { krb5_free_string(context.raw, message) }
            throw RefusedPassword(reason: String(cString: message).inOneLine())
        }
    }
}
