import CKerberos
import Ground

#if canImport(Glibc)
    import Glibc
#endif

/// One negotiation with a server (GSSAPI, RFC 2743; SPNEGO, RFC 4178), from the first token to the last, and the protection of
/// what is said after it.
///
/// Not for two threads at a time: its owner takes it out of ``OpenNegotiations`` while a step runs.
final class SecurityContext: @unchecked Sendable {
    private var context: gss_ctx_id_t?
    private var credential: gss_cred_id_t?
    private var target: gss_name_t?
    private let binding: ChannelBinding?
    private let service: Service
    private let delegates: Bool

    /// What is asked for.
    enum Service: Equatable {
        /// By SPNEGO, as browsers do it.
        case web
        /// By Kerberos alone, and with what is needed to protect messages.
        case directory
        /// By Kerberos alone. Domain controllers refuse what asks for protection besides that of TLS.
        case directoryOverTLS
    }

    struct Failure: Error, Sendable, CustomStringConvertible {
        let description: String
    }

    /// - Parameters:
    ///   - cache: the name of the cache with the ticket.
    ///   - host: of the server, in lower case.
    ///   - binding: to the connection with the server; nil if nothing is known of it.
    ///   - delegates: whether the server gets a ticket with which it acts for the person, if the KDC trusts it with that.
    /// - Throws: ``Failure``
    init(
        cache: String, host: String, binding: ChannelBinding? = nil, for service: Service = .web,
        delegates: Bool = false
    ) throws {
        self.binding = binding
        self.service = service
        self.delegates = delegates
        var minor: OM_uint32 = 0
        var name = Array("\(service.name)@\(host)".utf8)
        let imported = name.withUnsafeMutableBytes { bytes in
            var buffer = gss_buffer_desc(length: bytes.count, value: bytes.baseAddress)
            return gss_import_name(&minor, &buffer, Identifier.hostBasedService, &target)
        }
        try Self.check(imported, minor)
        let acquired = "ccache".withCString { key in
            cache.withCString { value in
                var element = gss_key_value_element_desc(key: key, value: value)
                return withUnsafeMutablePointer(to: &element) { elements in
                    var store = gss_key_value_set_desc(count: 1, elements: elements)
                    var mechanisms = gss_OID_set_desc(count: 1, elements: service.mechanism)
                    return gss_acquire_cred_from(
                        &minor, nil, OM_uint32.max, &mechanisms, gss_cred_usage_t(GSS_C_INITIATE), &store, &credential,
                        nil, nil)
                }
            }
        }
        try Self.check(acquired, minor)
        guard service == .web else { return }
        // NTLM would show a hash of the password to whoever asks.
        var inner = gss_OID_set_desc(count: 1, elements: Identifier.kerberos)
        try Self.check(gss_set_neg_mechs(&minor, credential, &inner), minor)
    }

    deinit {
        var minor: OM_uint32 = 0
        gss_delete_sec_context(&minor, &context, nil)
        gss_release_cred(&minor, &credential)
        gss_release_name(&minor, &target)
    }

    /// - Parameter token: of the server; empty for the first step.
    /// - Returns: the next token for the server, which is empty if it needs no more, and whether another one of the server
    ///   is expected.
    /// - Throws: ``Failure``
    func step(_ token: [UInt8]) throws -> (token: [UInt8], isComplete: Bool) {
        var minor: OM_uint32 = 0
        var output = gss_buffer_desc()
        defer { var ignored: OM_uint32 = 0; gss_release_buffer(&ignored, &output) }
        var token = token
        var flags = OM_uint32(GSS_C_MUTUAL_FLAG) | OM_uint32(GSS_C_SEQUENCE_FLAG)
        // The KDC says which servers, with the flag ok-as-delegate of their tickets (RFC 4120 §2.8, RFC 5896).
        if delegates { flags |= OM_uint32(GSS_C_DELEG_POLICY_FLAG) }
        if service == .directory { flags |= OM_uint32(GSS_C_INTEG_FLAG) | OM_uint32(GSS_C_CONF_FLAG) }
        let isFirst = token.isEmpty
        let major = token.withUnsafeMutableBytes { bytes in
            var input = gss_buffer_desc(length: bytes.count, value: bytes.baseAddress)
            return withUnsafeMutablePointer(to: &input) { input in
                withBindings { bindings in
                    gss_init_sec_context(
                        &minor, credential, &context, target, service.mechanism, flags, 0, bindings,
                        isFirst ? nil : input, nil, &output, nil, nil)
                }
            }
        }
        try Self.check(major, minor)
        let bytes = UnsafeRawBufferPointer(start: output.value, count: output.length)
        return (Array(bytes), major & 1 == 0)
    }

    /// Protects a message, after the last step.
    /// - Throws: ``Failure``
    func wrap(_ message: [UInt8], isEncrypted: Bool = true) throws -> [UInt8] {
        var wasEncrypted: Int32 = 0
        let wrapped = try converted(message) { minor, input, output in
            gss_wrap(&minor, context, isEncrypted ? 1 : 0, 0, &input, &wasEncrypted, &output)
        }
        // Otherwise it would go out for everybody to read.
        guard wasEncrypted != 0 || !isEncrypted else { throw Failure(description: "messages cannot be encrypted") }
        return wrapped
    }

    /// - Throws: ``Failure``, if the message is not the server's.
    func unwrap(_ message: [UInt8]) throws -> [UInt8] {
        try converted(message) { minor, input, output in
            gss_unwrap(&minor, context, &input, &output, nil, nil)
        }
    }

    private func converted(
        _ message: [UInt8], _ body: (inout OM_uint32, inout gss_buffer_desc, inout gss_buffer_desc) -> OM_uint32
    ) throws -> [UInt8] {
        var minor: OM_uint32 = 0
        var output = gss_buffer_desc()
        defer { var ignored: OM_uint32 = 0; gss_release_buffer(&ignored, &output) }
        var message = message
        let major = message.withUnsafeMutableBytes { bytes in
            var input = gss_buffer_desc(length: bytes.count, value: bytes.baseAddress)
            return body(&minor, &input, &output)
        }
        try Self.check(major, minor)
        return Array(UnsafeRawBufferPointer(start: output.value, count: output.length))
    }

    private func withBindings<Value>(_ body: (gss_channel_bindings_t?) -> Value) -> Value {
        guard var data = binding?.data else { return body(nil) }
        return data.withUnsafeMutableBytes { bytes in
            // Without addresses: they say nothing behind routers that replace them.
            var bindings = gss_channel_bindings_struct()
            bindings.application_data = gss_buffer_desc(length: bytes.count, value: bytes.baseAddress)
            return withUnsafeMutablePointer(to: &bindings) { body($0) }
        }
    }

    private static func check(_ major: OM_uint32, _ minor: OM_uint32) throws {
        // The upper half has errors; the lower one only tells how far it is.
        guard major >> 16 != 0 else { return }
        let mechanism = text(minor, GSS_C_MECH_CODE)
        throw Failure(description: mechanism.isEmpty ? text(major, GSS_C_GSS_CODE) : mechanism)
    }

    private static func text(_ code: OM_uint32, _ kind: Int32) -> String {
        var minor: OM_uint32 = 0
        var more: OM_uint32 = 0
        var buffer = gss_buffer_desc()
        guard gss_display_status(&minor, code, kind, Identifier.kerberos, &more, &buffer) == 0 else { return "" }
        defer { gss_release_buffer(&minor, &buffer) }
        return String(decoding: UnsafeRawBufferPointer(start: buffer.value, count: buffer.length), as: UTF8.self)
            .inOneLine()
    }
}

extension SecurityContext.Service {
    fileprivate var name: String { self == .web ? "HTTP" : "ldap" }

    fileprivate var mechanism: UnsafeMutablePointer<gss_OID_desc> {
        self == .web ? Identifier.spnego : Identifier.kerberos
    }
}

/// Object identifiers, which live as long as the process.
private enum Identifier {
    /// 1.3.6.1.5.5.2
    nonisolated(unsafe) static let spnego = make([0x2B, 6, 1, 5, 5, 2])
    /// 1.2.840.113554.1.2.2
    nonisolated(unsafe) static let kerberos = make([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x12, 1, 2, 2])
    /// 1.2.840.113554.1.2.1.4
    nonisolated(unsafe) static let hostBasedService = make([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x12, 1, 2, 1, 4])

    private static func make(_ bytes: [UInt8]) -> UnsafeMutablePointer<gss_OID_desc> {
        let elements = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = elements.initialize(from: bytes)
        let identifier = UnsafeMutablePointer<gss_OID_desc>.allocate(capacity: 1)
        identifier.initialize(to: gss_OID_desc(length: OM_uint32(bytes.count), elements: elements.baseAddress))
        return identifier
    }
}
