import CKerberos
import Foundation
import Synchronization

/// The keys of one service on one host, out of a keytab file.
///
/// They are copied into the memory of the process, without those of other services and hosts that the file may have. So
/// a ticket for these is worth nothing here.
final class Keytab {
    /// How the Kerberos library finds it.
    let name: String
    private static let count = Atomic(0)
    private let context: krb5_context
    private let keys: krb5_keytab

    /// Why a keytab cannot be used.
    package enum Problem: Error, Equatable, Sendable {
        case missing
        case unreadable(String)
        /// - Parameter found: the services and hosts whose keys the file has.
        case noKey(service: String, found: [String])
    }

    /// - Parameter host: in lower case.
    /// - Throws: ``Problem``
    init(path: String, host: String) throws {
        name = "MEMORY:lanyard-\(Self.count.add(1, ordering: .relaxed).newValue)"
        let context = try Self.newContext()
        var memory: krb5_keytab?
        do {
            try Self.check(krb5_kt_resolve(context, name, &memory), context)
            guard let memory else { throw Problem.unreadable("there is no memory for keys") }
            do {
                try Self.forEach(in: path, of: host, context) { entry in
                    try Self.check(krb5_kt_add_entry(context, memory, &entry), context)
                }
            } catch {
                krb5_kt_close(context, memory)
                throw error
            }
            keys = memory
            self.context = context
        } catch {
            krb5_free_context(context)
            throw error
        }
    }

    deinit {
        krb5_kt_close(context, keys)
        krb5_free_context(context)
    }

    private static let service = "HTTP"

    static func newContext() throws -> krb5_context {
        var made: krb5_context?
        guard krb5_init_context(&made) == 0, let context = made else {
            throw Problem.unreadable("the Kerberos library cannot be started; is /etc/krb5.conf readable?")
        }
        return context
    }

    private static func check(_ code: krb5_error_code, _ context: krb5_context) throws {
        guard code != 0 else { return }
        let text = krb5_get_error_message(context, code)
        defer { krb5_free_error_message(context, text) }
        throw Problem.unreadable(text.map { String(cString: $0) } ?? "error \(code)")
    }

    /// Calls `body` with each key of the host in the file, of which there is one at least.
    /// - Throws: ``Problem``
    static func forEach(
        in path: String, of host: String, _ context: krb5_context, _ body: (inout krb5_keytab_entry) throws -> Void
    ) throws {
        guard FileManager.default.fileExists(atPath: path) else { throw Problem.missing }
        var file: krb5_keytab?
        try check(krb5_kt_resolve(context, "FILE:\(path)", &file), context)
        guard let file else { return }
        defer { krb5_kt_close(context, file) }
        var cursor: krb5_kt_cursor?
        try check(krb5_kt_start_seq_get(context, file, &cursor), context)
        defer { krb5_kt_end_seq_get(context, file, &cursor) }
        var found: Set<String> = []
        var hasKey = false
        while true {
            var entry = krb5_keytab_entry()
            let code = krb5_kt_next_entry(context, file, &entry, &cursor)
            if code == endOfKeytab { break }
            try check(code, context)
            defer { krb5_free_keytab_entry_contents(context, &entry) }
            let parts = Self.parts(of: entry.principal)
            found.insert(parts.joined(separator: "/"))
            guard parts.count == 2, parts[0] == service, parts[1].lowercased() == host else { continue }
            try body(&entry)
            hasKey = true
        }
        guard hasKey else { throw Problem.noKey(service: "\(service)/\(host)", found: found.sorted()) }
    }

    /// `KRB5_KT_END`, which Swift does not import.
    private static let endOfKeytab: krb5_error_code = -1_765_328_202

    private static func parts(of principal: krb5_principal?) -> [String] {
        guard let principal else { return [] }
        return (0..<Int(principal.pointee.length)).map { index in
            let part = principal.pointee.data[index]
            return String(
                decoding: UnsafeRawBufferPointer(start: part.data, count: Int(part.length)), as: UTF8.self)
        }
    }
}
