import CKerberos
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Kerberos {
    /// What proves who somebody is.
    enum Proof: Sendable {
        case password(Password)
        /// A file with the keys of a device or a kiosk.
        case keytab(String)
        /// A certificate with its key, as `PKCS12:/path`, `FILE:/path` or `PKCS11:module`, and the PIN or password of it.
        case certificate(String, PIN: Password?)
    }

    struct NewTicket: Sendable {
        let ticket: Ticket
        /// nil if the KDC does not say.
        let passwordExpires: Date?
    }

    /// Gets a ticket and stores it.
    /// - Parameters:
    ///   - principal: with its realm.
    ///   - asksWhy: whether a refusal that leaves open what is wrong with the account is asked for again, with the same
    ///     password, because Active Directory tells the rest to those alone who know it.
    /// - Throws: ``KerberosFailure``. With a wrong password exactly one attempt has reached the KDC that counts them.
    static func acquire(
        _ principal: String, _ proof: Proof, in caches: TicketCaches, asksWhy: Bool = false
    ) throws -> NewTicket {
        if case .certificate(let identity, let pin) = proof, CardProcess.isNeeded(for: identity) {
            return try CardProcess.acquire(principal, identity, PIN: pin, in: caches)
        }
        let context = try KerberosContext()
        return try context.withUser(principal) { client in
            let options = try InitialOptions(context, isCanonical: context.isEnterprise(client))
            var credentials = krb5_creds()
            defer { krb5_free_cred_contents(context.raw, &credentials) }
            do {
                try context.get(&credentials, for: client, proof, service: nil, options)
            } catch let failure as KerberosFailure {
                throw asksWhy ? explained(failure, for: client, proof, in: context) : failure
            }
            let ticket = try context.store(&credentials, in: caches)
            SessionSignal.gotNewCredential.tell(caches.realm)
            return NewTicket(ticket: ticket, passwordExpires: options.passwordExpires)
        }
    }

    /// How a smart card is, as far as it tells.
    enum CardState: String, Codable, Sendable {
        case ready
        case fewAttempts, lastAttempt, locked
        /// There is no card, or none that the KDC could accept.
        case missing
    }

    /// Looks at the card without trying a PIN.
    /// - Throws: ``KerberosFailure`` if no KDC answers, or it does not know the person.
    static func card(_ identity: String, for principal: String) throws -> CardState {
        if CardProcess.isNeeded(for: identity) { return try CardProcess.card(identity, for: principal) }
        let context = try KerberosContext()
        return try context.withUser(principal) { client in
            let options = try InitialOptions(context, isCanonical: context.isEnterprise(client))
            var credentials = krb5_creds()
            defer { krb5_free_cred_contents(context.raw, &credentials) }
            do {
                try context.get(&credentials, for: client, .certificate(identity, PIN: nil), service: nil, options)
            } catch let failure as KerberosFailure where failure.kind == .unreachable || failure.condemnsPassword {
                throw failure
            } catch {
                return options.cardState
            }
            return .ready
        }
    }

    /// Renews a ticket in its cache.
    /// - Throws: ``KerberosFailure``
    static func renew(_ ticket: Ticket, in caches: TicketCaches) throws -> Ticket {
        let context = try KerberosContext()
        let renewed = try context.withCache(ticket.cache) { cache in
            try context.withPrincipal(ticket.principal) { client in
                var credentials = krb5_creds()
                defer { krb5_free_cred_contents(context.raw, &credentials) }
                try context.check(krb5_get_renewed_creds(context.raw, &credentials, client, cache, nil))
                try context.replaceContent(of: cache, with: &credentials, of: client, isRenewal: true)
                return Ticket(ticket.principal, credentials, cache: ticket.cache)
            }
        }
        guard let renewed else { throw KerberosFailure(.other, "the cache of the ticket is gone") }
        SessionSignal.gotNewCredential.tell(caches.realm)
        return renewed
    }

    /// - Returns: the first principal of the realm in a keytab; nil if there is none.
    static func owner(ofKeytab path: String, in realm: String) throws -> String? {
        let context = try KerberosContext()
        let keytab: krb5_keytab = try context.made { krb5_kt_resolve(context.raw, "FILE:\(path)", &$0) }
        defer { krb5_kt_close(context.raw, keytab) }
        var cursor: krb5_kt_cursor?
        try context.check(krb5_kt_start_seq_get(context.raw, keytab, &cursor))
        defer { krb5_kt_end_seq_get(context.raw, keytab, &cursor) }
        while true {
            var entry = krb5_keytab_entry()
            guard krb5_kt_next_entry(context.raw, keytab, &entry, &cursor) == 0 else { return nil }
            defer { krb5_free_keytab_entry_contents(context.raw, &entry) }
            if let name = context.text(of: entry.principal), name.hasSuffix("@\(realm)") { return name }
        }
    }

    /// Asks the KDC without proving anything, which counts as no attempt to sign in.
    /// - Parameter principal: nil for nobody in particular.
    /// - Throws: ``KerberosFailure`` of the kind ``KerberosFailure/Kind/unreachable`` if no KDC answers.
    static func reach(_ realm: String, as principal: String?) throws {
        let context = try KerberosContext()
        try context.withUser(principal ?? "krbtgt/\(realm)@\(realm)") { client in
            let reply = Reply(to: client, in: context)
            if let failure = reply.failure, failure.kind == .unreachable { throw failure }
        }
    }

    /// Adds what the KDC says only in the details of its refusal: by how much clocks differ, and whether an account of
    /// Active Directory is locked or disabled.
    private static func explained(
        _ failure: KerberosFailure, for client: krb5_principal, _ proof: Proof, in context: KerberosContext
    ) -> KerberosFailure {
        let password: Password? = if case .password(let password) = proof { password } else { nil }
        let reply: Reply
        switch failure.kind {
        case .accountRevoked, .policy: reply = Reply(to: client, password, in: context)
        case .clockSkew: reply = Reply(to: client, in: context)
        default: return failure
        }
        var better = failure
        if let kind = reply.activeDirectoryKind {
            better = KerberosFailure(kind, code: failure.code, failure.message)
        }
        better.skew = reply.skew
        return better
    }
}

/// The KDC's refusal of a request, with its details.
private struct Reply {
    private(set) var failure: KerberosFailure?
    private(set) var skew: Int64?
    private(set) var activeDirectoryKind: KerberosFailure.Kind?

    /// - Parameter password: nil for a request that proves nothing, which counts as no attempt to sign in.
    init(to client: krb5_principal, _ password: Password? = nil, in context: KerberosContext) {
        var exchange: krb5_init_creds_context?
        guard krb5_init_creds_init(context.raw, client, nil, nil, 0, nil, &exchange) == 0, let exchange else { return }
        defer { krb5_init_creds_free(context.raw, exchange) }
        if let password, password.withCString({ krb5_init_creds_set_password(context.raw, exchange, $0) }) != 0 {
            return
        }
        let code = krb5_init_creds_get(context.raw, exchange)
        guard code != 0 else { return }
        failure = KerberosFailure(code, in: context)
        var error: UnsafeMutablePointer<krb5_error>?
        guard krb5_init_creds_get_error(context.raw, exchange, &error) == 0, let error else { return }
        defer { krb5_free_error(context.raw, error) }
        var own: krb5_int32 = 0
        var fraction: krb5_int32 = 0
        if krb5_us_timeofday(context.raw, &own, &fraction) == 0 {
            skew = Int64(UInt32(bitPattern: error.pointee.stime)) - Int64(UInt32(bitPattern: own))
        }
        let data = error.pointee.e_data
        if let start = data.data {
            activeDirectoryKind = Self.kind(
                inDetails: Array(UnsafeRawBufferPointer(start: start, count: Int(data.length))))
        }
    }

    /// Finds the status of Windows in the error's data: an OCTET STRING of twelve bytes, of which the first four are the
    /// status, the lowest byte first ([MS-KILE] 2.2.2, KERB-EXT-ERROR).
    private static func kind(inDetails data: [UInt8]) -> KerberosFailure.Kind? {
        for start in data.indices.dropLast(13) where data[start] == 0x04 && data[start + 1] == 12 {
            let status = data[(start + 2)..<(start + 6)].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            switch status {
            case 0xC000_0234: return .accountLocked
            case 0xC000_0072: return .accountDisabled
            case 0xC000_0193: return .accountExpired
            case 0xC000_0071, 0xC000_0224: return .passwordExpired
            case 0xC000_006E, 0xC000_006F, 0xC000_0070: return .policy
            default: continue
            }
        }
        return nil
    }
}

/// Options of a request for a first ticket, and what the library tells on the way.
final class InitialOptions {
    let raw: UnsafeMutablePointer<krb5_get_init_creds_opt>
    private let context: KerberosContext
    /// Written by the library's callback while the request runs, on the same thread.
    fileprivate let told = Told()

    fileprivate final class Told {
        var passwordExpires: krb5_timestamp = 0
        var pin: Password?
        var isPINWanted = false
        var tokenFlags: krb5_int32 = 0
    }

    init(_ context: KerberosContext, isCanonical: Bool) throws {
        self.context = context
        raw = try context.made { krb5_get_init_creds_opt_alloc(context.raw, &$0) }
        // The library would ask for a new password by itself, where there is nobody to answer.
        krb5_get_init_creds_opt_set_change_password_prompt(raw, 0)
        krb5_get_init_creds_opt_set_renew_life(raw, 7 * 24 * 3600)
        if isCanonical { krb5_get_init_creds_opt_set_canonicalize(raw, 1) }
        try context.check(
            krb5_get_init_creds_opt_set_expire_callback(
                context.raw, raw,
                { _, told, passwordExpires, _, _ in
                    guard let told else { return }
                    Unmanaged<Told>.fromOpaque(told).takeUnretainedValue().passwordExpires = passwordExpires
                }, Unmanaged.passUnretained(told).toOpaque()))
    }

    deinit { krb5_get_init_creds_opt_free(context.raw, raw) }

    var passwordExpires: Date? {
        told.passwordExpires == 0
            ? nil : Date(timeIntervalSince1970: TimeInterval(UInt32(bitPattern: told.passwordExpires)))
    }

    /// How a card or a file with a certificate is opened.
    fileprivate func use(_ identity: String, _ pin: Password?) throws {
        told.pin = pin
        try context.check(
            krb5_get_init_creds_opt_set_pa(context.raw, raw, "X509_user_identity", identity))
        try context.check(
            krb5_get_init_creds_opt_set_responder(
                context.raw, raw,
                { raw, told, responder in
                    guard let told else { return 0 }
                    let own = Unmanaged<Told>.fromOpaque(told).takeUnretainedValue()
                    return InitialOptions.respond(raw, own, responder)
                }, Unmanaged.passUnretained(told).toOpaque()))
    }

    private static func respond(
        _ raw: krb5_context?, _ told: Told, _ responder: krb5_responder_context?
    ) -> krb5_error_code {
        var challenge: UnsafeMutablePointer<krb5_responder_pkinit_challenge>?
        guard krb5_responder_pkinit_get_challenge(raw, responder, &challenge) == 0, let challenge else { return 0 }
        defer { krb5_responder_pkinit_challenge_free(raw, responder, challenge) }
        var identities = challenge.pointee.identities
        while let identity = identities?.pointee {
            told.isPINWanted = true
            told.tokenFlags |= identity.pointee.token_flags
            if let pin = told.pin, let name = identity.pointee.identity {
                _ = pin.withCString { krb5_responder_pkinit_set_answer(raw, responder, name, $0) }
            }
            identities = identities?.advanced(by: 1)
        }
        return 0
    }

    /// What the card told before a PIN was tried.
    var cardState: Kerberos.CardState {
        func has(_ flag: Int32) -> Bool { told.tokenFlags & krb5_int32(flag) != 0 }
        guard told.isPINWanted else { return .missing }
        if has(KRB5_RESPONDER_PKINIT_FLAGS_TOKEN_USER_PIN_LOCKED) { return .locked }
        if has(KRB5_RESPONDER_PKINIT_FLAGS_TOKEN_USER_PIN_FINAL_TRY) { return .lastAttempt }
        return has(KRB5_RESPONDER_PKINIT_FLAGS_TOKEN_USER_PIN_COUNT_LOW) ? .fewAttempts : .ready
    }
}

extension KerberosContext {
    /// The principal of a name with its realm. A name with two `@`, such as `mika@school.test@CORP.ACME.TEST`, is one that
    /// the KDC looks up (RFC 6806 §5).
    func withUser<Value>(_ name: String, _ body: (krb5_principal) throws -> Value) throws -> Value {
        let isEnterprise = name.count { $0 == "@" } > 1
        let principal: krb5_principal = try made {
            krb5_parse_name_flags(
                raw, name, isEnterprise ? krb5_flags(KRB5_PRINCIPAL_PARSE_ENTERPRISE) : 0, &$0)
        }
        defer { krb5_free_principal(raw, principal) }
        return try body(principal)
    }

    func isEnterprise(_ principal: krb5_principal) -> Bool {
        principal.pointee.type == krb5_int32(KRB5_NT_ENTERPRISE_PRINCIPAL)
    }

    /// - Parameter service: nil for a ticket for further tickets.
    func get(
        _ credentials: inout krb5_creds, for client: krb5_principal, _ proof: Kerberos.Proof, service: String?,
        _ options: InitialOptions
    ) throws {
        switch proof {
        case .password(let password):
            try check(
                password.withCString { text in
                    krb5_get_init_creds_password(
                        raw, &credentials, client, text, nil, nil, 0, service, options.raw)
                })
        case .keytab(let path):
            let keytab: krb5_keytab = try made { krb5_kt_resolve(raw, "FILE:\(path)", &$0) }
            defer { krb5_kt_close(raw, keytab) }
            try check(krb5_get_init_creds_keytab(raw, &credentials, client, keytab, 0, service, options.raw))
        case .certificate(let identity, let pin):
            try options.use(identity, pin)
            let code = krb5_get_init_creds_password(
                raw, &credentials, client, nil, nil, nil, 0, service, options.raw)
            guard code != 0 else { return }
            let failure = KerberosFailure(code, in: self)
            if options.cardState == .locked { throw KerberosFailure(.cardLocked, code: code, failure.message) }
            if options.told.isPINWanted, failure.kind != .unreachable {
                throw KerberosFailure(.wrongPIN, code: code, failure.message)
            }
            if failure.kind == .wrongPassword || failure.kind == .other {
                throw KerberosFailure(.noCertificate, code: code, failure.message)
            }
            throw failure
        }
    }
}
