import CCurl
import Ground

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#endif

/// A connection with TLS 1.2 or later, for protocols that libcurl does not speak; by libcurl, which verifies the server's certificate and
/// its name. All calls block. For one thread at a time.
package final class TLSStream {
    private let handle: UnsafeMutableRawPointer
    private let host: String

    /// - Parameters:
    ///   - host: the name that the server's certificate must have.
    ///   - address: where the host is, as numbers.
    ///   - authorities: the path of a PEM file with authorities that count besides the system's.
    ///   - limit: how long connecting may take.
    /// - Throws: ``HTTPFailure``
    package init(host: String, port: UInt16, address: String, authorities: String?, within limit: Duration) throws {
        guard CurlLibrary.isReady, let handle = curl_easy_init() else {
            throw HTTPFailure(host: host, reason: "libcurl does not start")
        }
        self.handle = handle
        self.host = host
        // An address of IPv6 stands in brackets.
        let place = address.contains(":") ? "[\(address)]" : address
        let targets = curl_slist_append(nil, "::\(place):")
        defer { curl_slist_free_all(targets) }
        let options: [CURLcode] = [
            lanyard_curl_set_text(handle, CURLOPT_URL, "https://\(host):\(port)/"),
            lanyard_curl_set_long(handle, CURLOPT_CONNECT_ONLY, 1),
            lanyard_curl_set_list(handle, CURLOPT_CONNECT_TO, targets),
            lanyard_curl_set_long(handle, CURLOPT_NOSIGNAL, 1),
            lanyard_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(limit / .milliseconds(1)))),
            lanyard_curl_set_long(handle, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2),
            lanyard_curl_set_long(handle, CURLOPT_CERTINFO, 1),
            // It is no HTTP that is spoken, and no proxy for the web that is meant.
            lanyard_curl_set_long(handle, CURLOPT_SSL_ENABLE_ALPN, 0),
            lanyard_curl_set_text(handle, CURLOPT_PROXY, ""),
            authorities.map { lanyard_curl_set_text(handle, CURLOPT_CAINFO, $0) } ?? CURLE_OK,
        ]
        let result = options.first { $0 != CURLE_OK } ?? curl_easy_perform(handle)
        guard result == CURLE_OK else { throw failure(result) }
    }

    deinit { curl_easy_cleanup(handle) }

    /// The server's own, in DER.
    package var certificate: Data? { CurlLibrary.certificate(of: handle) }

    /// - Returns: how many of the bytes were sent, one at least.
    /// - Throws: ``HTTPFailure``
    package func send(_ bytes: ArraySlice<UInt8>, within limit: Duration) throws -> Int {
        try repeated(until: Int16(POLLOUT), within: limit) { count in
            bytes.withUnsafeBytes { curl_easy_send(handle, $0.baseAddress, $0.count, &count) }
        }
    }

    /// - Returns: the next bytes; none if the server has hung up.
    /// - Throws: ``HTTPFailure``
    package func receive(atMost most: Int, within limit: Duration) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: most)
        let received = try repeated(until: Int16(POLLIN), within: limit) { count in
            bytes.withUnsafeMutableBytes { curl_easy_recv(handle, $0.baseAddress, $0.count, &count) }
        }
        return Array(bytes.prefix(received))
    }

    /// Tries a step again whenever the connection is ready for it.
    private func repeated(until event: Int16, within limit: Duration, _ step: (inout Int) -> CURLcode) throws -> Int {
        let watch = Stopwatch()
        while true {
            var count = 0
            let result = step(&count)
            guard result == CURLE_AGAIN else {
                guard result == CURLE_OK else { throw failure(result) }
                return count
            }
            let left = limit - watch.elapsed
            var waiting = pollfd(fd: lanyard_curl_socket(handle), events: event, revents: 0)
            guard left > .zero, poll(&waiting, 1, Int32(clamping: Int(left / .milliseconds(1)) + 1)) != 0 else {
                throw HTTPFailure(host: host, reason: "it takes too long")
            }
        }
    }

    private func failure(_ code: CURLcode) -> HTTPFailure { HTTPFailure(host: host, code: code, handle: handle) }
}
