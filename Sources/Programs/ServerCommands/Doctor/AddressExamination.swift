import CCurl
import CommandOutput
import Foundation
import Ground
import NameServers

/// Checks whether the server's address leads to this machine, and what answers there.
struct AddressExamination {
    let baseURL: String
    let now: Date
    /// Name servers to ask in place of those of the system, by the setting `nameServers`.
    var nameServers: String?

    /// How long before its end a certificate is spoken of: one that is renewed by a program never gets that old.
    private static let notice = 14 * 86_400.0
    /// Time limit in seconds, for a machine that is behind a firewall.
    private static let patience = 15
    private static let queue = BlockingQueue(width: 2)
    /// `curl_global_init` must not be called by several threads at once; a static constant is initialized once.
    private static let library: CURLcode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    func findings() async -> [Finding] {
        guard let host else { return [] }
        let (found, visit) = await look(for: host)
        var findings: [Finding] = []
        if let found {
            let own = try? await Self.queue.run { Self.ownAddresses() }
            findings.append(Self.name(host, leadsTo: found, ownAddresses: own ?? []))
        }
        if let visit { findings.append(Self.certificate(host, visit, now: now)) }
        return findings
    }

    /// Whether what answers at the address is not trusted, or will soon not be. Where nothing answers, it may be that only
    /// this machine does not reach the address, as behind some routers.
    func isDistrusted() async -> Bool {
        guard let host else { return false }
        return await look(for: host).visit.map { Self.isDistrusted($0, now: now) } ?? false
    }

    static func isDistrusted(_ visit: Visit, now: Date) -> Bool {
        switch visit {
        case .refused: true
        case .answered(_, let end?): end.timeIntervalSince(now) < notice
        case .answered, .silent: false
        }
    }

    private var host: String? { URLComponents(string: baseURL).flatMap { $0.encodedHost ?? $0.host } }

    /// - Returns: where the host is, nil for this machine itself; and what came of a request, nil if none was made.
    private func look(for host: String) async -> (addresses: Set<String>?, visit: Visit?) {
        var found: Set<String>?
        // Where the host is, for curl, which asks the system's name servers otherwise.
        var place: String?
        if !Loopback.contains(host: host) {
            let addresses = await addresses(of: host)
            guard !addresses.isEmpty else { return (addresses, nil) }
            if nameServers != nil {
                let list = addresses.sorted().map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
                place = "\(host):\(URLComponents(string: baseURL)?.port ?? 443):\(list)"
            }
            found = addresses
        }
        guard baseURL.hasPrefix("https:") else { return (found, nil) }
        let url = "\(baseURL)/healthz"
        return (found, try? await Self.queue.run { [place] in Self.visit(url, at: place) })
    }

    // MARK: The name

    static func name(_ host: String, leadsTo addresses: Set<String>, ownAddresses: Set<String>) -> Finding {
        let check = "name"
        guard !addresses.isEmpty else {
            return .warning(
                check, "\(host) leads nowhere yet.",
                remedy:
                    "In the zone of your domain, add an A record (and AAAA) for \(host) with the address of this machine."
            )
        }
        let list = addresses.sorted().joined(separator: ", ")
        guard addresses.isDisjoint(with: ownAddresses) else {
            return .ok(check, "\(host) leads to this machine (\(list)).")
        }
        return .warning(
            check, "\(host) leads to \(list), which is no address of this machine.",
            remedy: "That is right where a router or a proxy passes on to it. Otherwise correct the record.")
    }

    private func addresses(of host: String) async -> Set<String> {
        guard let nameServers else { return (try? await Self.queue.run { Self.addresses(of: host) }) ?? [] }
        let found = (try? await NameServers(nameServers).addresses(of: host, port: 443)) ?? []
        return Set(found.compactMap(\.numbers))
    }

    /// - Returns: addresses as texts; none if the name is not known.
    private static func addresses(of host: String) -> Set<String> {
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        return Set(((try? SocketAddress.find(host: name)) ?? []).compactMap(\.numbers))
    }

    private static func ownAddresses() -> Set<String> {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: Set<String> = []
        var next = first
        while let one = next?.pointee {
            if let address = one.ifa_addr, let text = text(of: address) { found.insert(text) }
            next = one.ifa_next
        }
        return found
    }

    /// - Returns: nil for addresses of the hardware, which interfaces have too.
    private static func text(of address: UnsafePointer<sockaddr>) -> String? {
        switch Int32(address.pointee.sa_family) {
        case AF_INET: SocketAddress(address, length: socklen_t(MemoryLayout<sockaddr_in>.size)).numbers
        case AF_INET6: SocketAddress(address, length: socklen_t(MemoryLayout<sockaddr_in6>.size)).numbers
        default: nil
        }
    }

    // MARK: The certificate

    /// What came of a request.
    enum Visit: Equatable, Sendable {
        /// - Parameters:
        ///   - status: of HTTP.
        ///   - end: when the certificate ends; nil if that is not told.
        case answered(status: Int, end: Date?)
        /// The certificate is not trusted, has ended, or is another name's.
        case refused(String)
        /// Nothing takes connections, or what answers speaks no TLS.
        case silent(String)
    }

    static func certificate(_ host: String, _ visit: Visit, now: Date) -> Finding {
        let check = "certificate"
        switch visit {
        case .silent(let reason):
            return .warning(
                check, "Nothing answers at the address yet: \(reason).",
                remedy: "Set a reverse proxy up that has a certificate for \(host): docs/operate/reverse-proxies.md.")
        case .refused(let reason):
            return .problem(
                check, "What answers for \(host) is not trusted: \(reason).",
                remedy:
                    "Have the proxy send a certificate for \(host) that is valid today, with those between it and its authority. "
                    + "An authority of your own goes into /usr/local/share/ca-certificates; then run `update-ca-certificates`."
            )
        case .answered(let status, let end):
            let day = end?.formatted(Date.ISO8601FormatStyle().year().month().day())
            let words = "Trusted for \(host)" + (day.map { ", until \($0)" } ?? "")
            if let end, end.timeIntervalSince(now) < notice {
                return .warning(
                    check, "\(words).", remedy: "Renew it, and see why that has not happened by itself.")
            }
            guard status == 200 else {
                return .warning(
                    check, "\(words); but /healthz is answered with status \(status).",
                    remedy: "Start the server, and check that the proxy passes on to it.")
            }
            return .ok(check, "\(words); the server answers behind it.")
        }
    }

    /// - Parameter place: as CURLOPT_RESOLVE takes it.
    private static func visit(_ url: String, at place: String?) -> Visit {
        guard library == CURLE_OK, let handle = curl_easy_init() else { return .silent("libcurl does not start") }
        defer { curl_easy_cleanup(handle) }
        let places = place.flatMap { curl_slist_append(nil, $0) }
        defer { curl_slist_free_all(places) }
        var errorBuffer = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
        return errorBuffer.withUnsafeMutableBufferPointer { errors in
            let ignored: curl_write_callback = { _, size, count, _ in size * count }
            let options: [CURLcode] = [
                lanyard_curl_set_buffer(handle, CURLOPT_ERRORBUFFER, errors.baseAddress),
                lanyard_curl_set_text(handle, CURLOPT_URL, url),
                lanyard_curl_set_text(handle, CURLOPT_PROTOCOLS_STR, "https"),
                // People's browsers come without the proxy of this machine.
                lanyard_curl_set_text(handle, CURLOPT_PROXY, ""),
                lanyard_curl_set_list(handle, CURLOPT_RESOLVE, places),
                lanyard_curl_set_long(handle, CURLOPT_CERTINFO, 1),
                lanyard_curl_set_long(handle, CURLOPT_NOSIGNAL, 1),
                lanyard_curl_set_long(handle, CURLOPT_TIMEOUT, patience),
                lanyard_curl_set_receiver(handle, ignored, ignored, nil),
            ]
            guard options.allSatisfy({ $0 == CURLE_OK }) else { return .silent("libcurl does not start") }
            let result = curl_easy_perform(handle)
            let words = String(decoding: errors.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            switch result {
            case CURLE_OK:
                let end = lanyard_curl_certificate_field(handle, "Expire date").map { curl_getdate($0, nil) }
                return .answered(
                    status: lanyard_curl_info(handle, CURLINFO_RESPONSE_CODE),
                    end: end.flatMap { $0 > 0 ? Date(timeIntervalSince1970: TimeInterval($0)) : nil })
            case CURLE_PEER_FAILED_VERIFICATION: return .refused(words)
            default: return .silent(words.isEmpty ? String(cString: curl_easy_strerror(result)) : words)
            }
        }
    }
}
