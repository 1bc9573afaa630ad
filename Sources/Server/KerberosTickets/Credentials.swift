import CKerberos
import Crypto
import Foundation

/// What the server checks tickets with. The library allows its use on several threads at once.
final class Credentials: @unchecked Sendable {
    private let keytab: Keytab
    private let handle: gss_cred_id_t

    /// - Throws: ``Keytab/Problem``
    init(path: String, host: String) throws {
        let keytab = try Keytab(path: path, host: host)
        var handle: gss_cred_id_t?
        var minor: OM_uint32 = 0
        let major = Mechanism.spnego.withSet { set in
            Self.withStore(["keytab": keytab.name, "rcache": "none:"]) { store in
                gss_acquire_cred_from(&minor, nil, UInt32.max, set, GSS_C_ACCEPT, store, &handle, nil, nil)
            }
        }
        guard major == 0, let handle else { throw Keytab.Problem.unreadable(Status.text(major, minor)) }
        self.keytab = keytab
        self.handle = handle
        // Otherwise whatever else is installed on the machine would be negotiated too, such as NTLM.
        let limited = Mechanism.kerberos.withSet { gss_set_neg_mechs(&minor, handle, $0) }
        guard limited == 0 else { throw Keytab.Problem.unreadable(Status.text(limited, minor)) }
    }

    deinit {
        var (minor, handle): (OM_uint32, gss_cred_id_t?) = (0, handle)
        gss_release_cred(&minor, &handle)
    }

    /// - Throws: ``TicketRefusal``
    func accept(_ token: Data) throws -> AcceptedTicket {
        var minor: OM_uint32 = 0
        var context: gss_ctx_id_t?
        var client: gss_name_t?
        var output = gss_buffer_desc()
        defer {
            var minor: OM_uint32 = 0
            gss_release_buffer(&minor, &output)
            gss_release_name(&minor, &client)
            gss_delete_sec_context(&minor, &context, nil)
        }
        let major = token.withUnsafeBytes { bytes in
            var input = gss_buffer_desc(
                length: bytes.count, value: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            return gss_accept_sec_context(
                &minor, &context, handle, &input, nil, &client, nil, &output, nil, nil, nil)
        }
        if major == Status.continueNeeded { throw TicketRefusal.needsAnotherMessage }
        if major & Status.errors == Status.defectiveToken { throw TicketRefusal.malformed }
        guard major == Status.complete else { throw TicketRefusal.refused(reason: Status.text(major, minor)) }
        let reply = Data(bytes: output)
        let shown = try Self.displayed(client)
        let issuer = try Self.issuer(of: context)
        guard let principal = KerberosPrincipal(displayed: shown) else { throw TicketRefusal.notAPerson(shown) }
        if let account = try Self.accountName(of: client), account.hasSuffix("$") {
            throw TicketRefusal.notAPerson("\(shown), which is the computer \(account)")
        }
        let (use, endsAt) = try Self.use(of: &context)
        return AcceptedTicket(principal: principal, issuer: issuer, reply: reply, use: use, endsAt: endsAt)
    }

    /// The realm of the key with which the ticket was opened. The library takes the name from the keytab, not from the ticket.
    private static func issuer(of context: gss_ctx_id_t?) throws -> String {
        var (minor, service) = (OM_uint32(0), gss_name_t?.none)
        defer { var minor: OM_uint32 = 0; gss_release_name(&minor, &service) }
        let major = gss_inquire_context(&minor, context, nil, &service, nil, nil, nil, nil, nil)
        guard major == Status.complete else { throw TicketRefusal.refused(reason: Status.text(major, minor)) }
        // `HTTP/id.maple.example@MAPLE.EXAMPLE`; no name of a host holds an @.
        let parts = try displayed(service).split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty else { throw TicketRefusal.malformed }
        return String(parts[1])
    }

    /// The name that a domain controller has for the account; nil if it was not asked to write it into the ticket, or is none
    /// of Active Directory. It only keeps somebody out, so that it makes no difference who vouches for it.
    private static func accountName(of client: gss_name_t?) throws -> String? {
        var attribute = Array("urn:mspac:upn-dns-info".utf8CString)
        var (minor, isAuthenticated, isComplete, more) = (OM_uint32(0), Int32(0), Int32(0), Int32(-1))
        var (value, display) = (gss_buffer_desc(), gss_buffer_desc())
        defer {
            gss_release_buffer(&minor, &value)
            gss_release_buffer(&minor, &display)
        }
        let major = attribute.withUnsafeMutableBytes { bytes in
            var name = gss_buffer_desc(length: bytes.count - 1, value: bytes.baseAddress)
            return gss_get_name_attribute(
                &minor, client, &name, &isAuthenticated, &isComplete, &value, &display, &more)
        }
        // Most often the ticket has no such attribute.
        guard major == Status.complete else { return nil }
        return try AccountName.read(Data(bytes: value))
    }

    private static func displayed(_ name: gss_name_t?) throws -> String {
        var (minor, buffer) = (OM_uint32(0), gss_buffer_desc())
        defer { gss_release_buffer(&minor, &buffer) }
        let major = gss_display_name(&minor, name, &buffer, nil)
        guard major == Status.complete else { throw TicketRefusal.refused(reason: Status.text(major, minor)) }
        return String(decoding: Data(bytes: buffer), as: UTF8.self)
    }

    /// The browser has drawn a key and a number for this message alone, and encrypted both (RFC 4120 §5.5.1). Taking them
    /// out ends the context.
    private static func use(of context: inout gss_ctx_id_t?) throws -> (use: String, endsAt: Date) {
        var (minor, exported) = (OM_uint32(0), UnsafeMutableRawPointer?.none)
        let major = gss_krb5_export_lucid_sec_context(&minor, &context, 1, &exported)
        guard major == Status.complete, let exported else {
            throw TicketRefusal.refused(reason: Status.text(major, minor))
        }
        defer { gss_krb5_free_lucid_sec_context(&minor, exported) }
        let lucid = exported.assumingMemoryBound(to: gss_krb5_lucid_context_v1_t.self).pointee
        let key = lucid.protocol == 0 ? lucid.rfc1964_kd.ctx_key : lucid.cfx_kd.ctx_key
        var hash = SHA256()
        hash.update(bufferPointer: UnsafeRawBufferPointer(start: key.data, count: Int(key.length)))
        withUnsafeBytes(of: lucid.recv_seq.bigEndian) { hash.update(bufferPointer: $0) }
        let use = hash.finalize().map { String($0, radix: 16) }.joined(separator: ".")
        return (
            use, Date(timeIntervalSince1970: TimeInterval(UInt32(bitPattern: Int32(truncatingIfNeeded: lucid.endtime))))
        )
    }

    private static func withStore<Value>(
        _ values: KeyValuePairs<String, String>, _ body: (gss_const_key_value_set_t) -> Value
    ) -> Value {
        let texts = values.map { (strdup($0.key), strdup($0.value)) }
        defer { for (key, value) in texts { free(key); free(value) } }
        var elements = texts.map {
            gss_key_value_element_desc(key: UnsafePointer($0.0), value: UnsafePointer($0.1))
        }
        return elements.withUnsafeMutableBufferPointer { buffer in
            var set = gss_key_value_set_desc(count: OM_uint32(buffer.count), elements: buffer.baseAddress)
            return withUnsafePointer(to: &set) { body($0) }
        }
    }
}

/// Mechanisms of GSSAPI by their object identifiers, in DER.
enum Mechanism {
    /// 1.3.6.1.5.5.2
    case spnego
    /// 1.2.840.113554.1.2.2
    case kerberos

    private var bytes: [UInt8] {
        switch self {
        case .spnego: [0x2b, 0x06, 0x01, 0x05, 0x05, 0x02]
        case .kerberos: [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x12, 0x01, 0x02, 0x02]
        }
    }

    func withSet<Value>(_ body: (gss_OID_set) -> Value) -> Value {
        var bytes = bytes
        return bytes.withUnsafeMutableBytes { buffer in
            var identifier = gss_OID_desc(length: OM_uint32(buffer.count), elements: buffer.baseAddress)
            return withUnsafeMutablePointer(to: &identifier) { element in
                var set = gss_OID_set_desc(count: 1, elements: element)
                return withUnsafeMutablePointer(to: &set) { body($0) }
            }
        }
    }
}

/// Status values of GSSAPI, RFC 2744 §3.9.1, whose macros Swift does not import.
enum Status {
    static let complete: OM_uint32 = 0
    static let continueNeeded: OM_uint32 = 1
    /// The bits of calling errors and routine errors.
    static let errors: OM_uint32 = 0xffff_0000
    static let defectiveToken: OM_uint32 = 9 << 16

    static func text(_ major: OM_uint32, _ minor: OM_uint32) -> String {
        [text(major, isMinor: false), minor == 0 ? nil : text(minor, isMinor: true)].compactMap(\.self)
            .joined(separator: ": ")
    }

    private static func text(_ code: OM_uint32, isMinor: Bool) -> String? {
        var (minor, more, buffer) = (OM_uint32(0), OM_uint32(0), gss_buffer_desc())
        defer { gss_release_buffer(&minor, &buffer) }
        // 1: GSS_C_GSS_CODE, 2: GSS_C_MECH_CODE.
        let major = gss_display_status(&minor, code, isMinor ? 2 : 1, nil, &more, &buffer)
        return major == complete ? String(decoding: Data(bytes: buffer), as: UTF8.self) : nil
    }
}

extension Data {
    fileprivate init(bytes buffer: gss_buffer_desc) {
        self = buffer.value.map { Data(bytes: $0, count: buffer.length) } ?? Data()
    }
}
