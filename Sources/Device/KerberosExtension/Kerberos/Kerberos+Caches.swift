import CKerberos
import SingleSignOnWire
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#endif

/// Calls of MIT Kerberos. All of them block, most until a server has answered; none may run on the main actor or on one of
/// Swift's few threads.
enum Kerberos {}

extension Kerberos {
    /// - Parameter principal: whose ticket; nil for anybody's of the realm.
    /// - Returns: the ticket that is valid longest, in the caches of the realm and, if they are shared, in those of other
    ///   programs.
    static func ticket(in caches: TicketCaches, of principal: String?) -> Ticket? {
        guard let context = try? KerberosContext() else { return nil }
        var found: [Ticket] = []
        for name in caches.names {
            if let ticket = context.withCache(name, { context.ticket(in: $0, realm: caches.realm) }) ?? nil {
                found.append(ticket)
            }
        }
        if caches.isShared {
            context.forEachCache { cache in
                if let ticket = context.ticket(in: cache, realm: caches.realm) { found.append(ticket) }
            }
        }
        return found.filter { principal == nil || $0.principal.lowercased() == principal?.lowercased() }
            .max { $0.expires < $1.expires }
    }

    /// Removes every ticket of the realm.
    static func destroyTickets(in caches: TicketCaches) {
        guard let context = try? KerberosContext() else { return }
        // What an extension that was killed while it wrote has left.
        for path in caches.names.compactMap(KerberosContext.file) { unlink(KerberosContext.pathBeside(path)) }
        var names = Set(caches.names)
        if caches.isShared {
            context.forEachCache { if let name = context.fullName(of: $0) { names.insert(name) } }
        }
        var hasRemoved = false
        for name in names {
            var cache: krb5_ccache?
            guard krb5_cc_resolve(context.raw, name, &cache) == 0, let cache else { continue }
            // Destroying also closes.
            if context.realm(of: cache) == caches.realm {
                hasRemoved = krb5_cc_destroy(context.raw, cache) == 0 || hasRemoved
            } else {
                krb5_cc_close(context.raw, cache)
            }
        }
        if hasRemoved { SessionSignal.credentialRemoved.tell(caches.realm) }
    }
}

extension KerberosContext {
    func withCache<Value>(_ name: String, _ body: (krb5_ccache) throws -> Value) rethrows -> Value? {
        var cache: krb5_ccache?
        guard krb5_cc_resolve(raw, name, &cache) == 0, let cache else { return nil }
        defer { krb5_cc_close(raw, cache) }
        return try body(cache)
    }

    fileprivate func forEachCache(_ body: (krb5_ccache) -> Void) {
        var cursor: krb5_cccol_cursor?
        guard krb5_cccol_cursor_new(raw, &cursor) == 0 else { return }
        defer { krb5_cccol_cursor_free(raw, &cursor) }
        while true {
            var cache: krb5_ccache?
            guard krb5_cccol_cursor_next(raw, cursor, &cache) == 0, let cache else { return }
            body(cache)
            krb5_cc_close(raw, cache)
        }
    }

    fileprivate func fullName(of cache: krb5_ccache) -> String? {
        var name: UnsafeMutablePointer<CChar>?
        guard krb5_cc_get_full_name(raw, cache, &name) == 0, let name else { return nil }
        defer { krb5_free_string(raw, name) }
        return String(cString: name)
    }

    /// - Returns: nil if the cache is empty or does not exist.
    fileprivate func realm(of cache: krb5_ccache) -> String? {
        var principal: krb5_principal?
        guard krb5_cc_get_principal(raw, cache, &principal) == 0, let principal else { return nil }
        defer { krb5_free_principal(raw, principal) }
        return String(principal.pointee.realm)
    }

    fileprivate func ticket(in cache: krb5_ccache, realm: String) -> Ticket? {
        guard self.realm(of: cache) == realm, let name = fullName(of: cache) else { return nil }
        var cursor: krb5_cc_cursor?
        guard krb5_cc_start_seq_get(raw, cache, &cursor) == 0 else { return nil }
        defer { krb5_cc_end_seq_get(raw, cache, &cursor) }
        while true {
            var credentials = krb5_creds()
            guard krb5_cc_next_cred(raw, cache, &cursor, &credentials) == 0 else { return nil }
            defer { krb5_free_cred_contents(raw, &credentials) }
            if text(of: credentials.server) == "krbtgt/\(realm)@\(realm)", let client = text(of: credentials.client) {
                return Ticket(client, credentials, cache: name)
            }
        }
    }

    /// Writes a ticket into the first cache that takes it, and leaves caches of other realms alone.
    func store(_ credentials: inout krb5_creds, in caches: TicketCaches) throws -> Ticket {
        var reason = KerberosFailure(.other, "no cache takes the ticket")
        guard let client = credentials.client, let principal = text(of: client) else { throw reason }
        for name in caches.names {
            do {
                if let folder = Self.folder(of: name) { try Self.makePrivate(folder) }
                let cache: krb5_ccache = try made { krb5_cc_resolve(raw, name, &$0) }
                defer { krb5_cc_close(raw, cache) }
                if let other = realm(of: cache), other != caches.realm { continue }
                try replaceContent(of: cache, with: &credentials, of: client)
                let type = krb5_cc_get_type(raw, cache)
                if caches.isMain, caches.isShared, krb5_cc_support_switch(raw, type) != 0 {
                    _ = krb5_cc_switch(raw, cache)
                }
                return Ticket(principal, credentials, cache: fullName(of: cache) ?? name)
            } catch let failure as KerberosFailure {
                reason = failure
            } catch {
                reason = KerberosFailure(.other, "\(error)")
            }
        }
        throw reason
    }

    /// Makes a ticket the only one of its cache.
    ///
    /// The library empties a cache before it writes. So a cache that is a file is written beside it and then put in its place: whenever this
    /// process is killed, there is the old ticket or the new one. The kernel and SSSD replace a ticket in one step.
    /// - Parameter isRenewal: whether tickets for other servers may stay until they end, where they cannot be removed: what
    ///   they say of the person is no older than what the renewed ticket says.
    func replaceContent(
        of cache: krb5_ccache, with credentials: inout krb5_creds, of client: krb5_principal, isRenewal: Bool = false
    ) throws {
        func write(_ cache: krb5_ccache) throws {
            try check(krb5_cc_initialize(raw, cache, client))
            try check(krb5_cc_store_cred(raw, cache, &credentials))
        }
        guard let name = fullName(of: cache), let path = Self.file(of: name), let folder = Self.folder(of: name),
            access(folder, W_OK) == 0
        else {
            if isKeeper(cache), replaceTicket(in: cache, with: &credentials, of: client, isRenewal: isRenewal) {
                return
            }
            return try write(cache)
        }
        let beside = Self.pathBeside(path)
        try CacheFiles.writing.withLock { _ in
            do {
                _ = try withCache("FILE:\(beside)", write)
                guard rename(beside, path) == 0 else {
                    throw KerberosFailure(.other, "\(path) cannot be replaced: \(String(cString: strerror(errno)))")
                }
            } catch {
                unlink(beside)
                throw error
            }
        }
    }

    /// Whether a cache is the kernel's or SSSD's, where a ticket takes the place of an earlier one for the same server.
    private func isKeeper(_ cache: krb5_ccache) -> Bool {
        guard let type = krb5_cc_get_type(raw, cache) else { return false }
        return ["KEYRING", "KCM"].contains(String(cString: type))
    }

    /// Puts a ticket in the place of the same person's earlier one, so that nobody ever finds the cache empty, and removes
    /// what was got with that. SSSD removes no single tickets.
    /// - Returns: whether the cache is as it should be.
    private func replaceTicket(
        in cache: krb5_ccache, with credentials: inout krb5_creds, of client: krb5_principal, isRenewal: Bool
    ) -> Bool {
        var owner: krb5_principal?
        guard krb5_cc_get_principal(raw, cache, &owner) == 0, let owner else { return false }
        defer { krb5_free_principal(raw, owner) }
        guard krb5_principal_compare(raw, owner, client) != 0, krb5_cc_store_cred(raw, cache, &credentials) == 0
        else { return false }
        var found = tickets(in: cache)
        defer { for index in found.indices { krb5_free_cred_contents(raw, &found[index]) } }
        // A keeper of another kind may have put it beside the earlier one.
        var same = 0
        var isRemoved = true
        for index in found.indices {
            if krb5_principal_compare(raw, found[index].server, credentials.server) != 0 {
                same += 1
            } else if krb5_cc_remove_cred(raw, cache, krb5_flags(KRB5_TC_MATCH_TIMES_EXACT), &found[index]) != 0 {
                isRemoved = false
            }
        }
        return same == 1 && (isRenewal || isRemoved)
    }

    /// All that a cache has. The caller frees what is in them.
    private func tickets(in cache: krb5_ccache) -> [krb5_creds] {
        var found: [krb5_creds] = []
        var cursor: krb5_cc_cursor?
        guard krb5_cc_start_seq_get(raw, cache, &cursor) == 0 else { return [] }
        defer { krb5_cc_end_seq_get(raw, cache, &cursor) }
        while true {
            var next = krb5_creds()
            guard krb5_cc_next_cred(raw, cache, &cursor, &next) == 0 else { return found }
            found.append(next)
        }
    }

    /// The file of a cache; nil if it is kept elsewhere.
    fileprivate static func file(of name: String) -> String? {
        for prefix in ["DIR::", "FILE:"] where name.hasPrefix(prefix) { return String(name.dropFirst(prefix.count)) }
        return nil
    }

    /// Where a file's next content is written. The library takes it for no cache of the folder.
    fileprivate static func pathBeside(_ path: String) -> String {
        let slash = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
        return "\(path[..<slash]).\(path[slash...]).new"
    }

    /// The folder that has to exist for a cache in files.
    private static func folder(of name: String) -> String? {
        guard let path = file(of: name), let slash = path.lastIndex(of: "/"), slash != path.startIndex
        else { return nil }
        return String(path[..<slash])
    }

    private static func makePrivate(_ folder: String) throws {
        guard access(folder, F_OK) != 0 else { return }
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
}

/// Two threads that get tickets for one cache must not write into the same file.
private enum CacheFiles {
    static let writing = Mutex(())
}

extension Ticket {
    init(_ principal: String, _ credentials: krb5_creds, cache: String) {
        func date(_ time: krb5_timestamp) -> Date {
            Date(timeIntervalSince1970: TimeInterval(UInt32(bitPattern: time)))
        }
        let times = credentials.times
        self.init(
            principal: principal, cache: cache, issued: date(times.starttime != 0 ? times.starttime : times.authtime),
            expires: date(times.endtime), renewableUntil: times.renew_till != 0 ? date(times.renew_till) : nil)
    }
}

extension String {
    init(_ data: krb5_data) {
        guard let start = data.data else {
            self = ""
            return
        }
        self = UnsafeRawBufferPointer(start: start, count: Int(data.length)).withMemoryRebound(to: UInt8.self) {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
