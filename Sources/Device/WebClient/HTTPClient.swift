import CCurl
import Ground
import SingleSignOnWire
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An HTTP client on libcurl, which knows TLS, proxies and cookies (RFC 6265 with public suffixes) and starts without
/// delay.
///
/// Each transfer blocks a thread of its own, several at a time; all share one cookie jar.
package final class HTTPClient: Sendable {
    /// Handles that are not in use, with their open connections.
    private let idle = Mutex<[Handle]>([])
    private let share: Share
    private let transfers = BlockingQueue(width: 64)
    let now: @Sendable () -> Date

    /// A handle is used by one thread at a time: it is either idle, or one transfer's.
    private struct Handle: @unchecked Sendable { let pointer: UnsafeMutableRawPointer }
    /// libcurl protects it with the mutexes that it was given.
    private struct Share: @unchecked Sendable { let pointer: OpaquePointer }

    /// - Parameters:
    ///   - cookies: lines in Netscape's format.
    ///   - now: the time against which cookies expire.
    package init(cookies: [String] = [], now: @escaping @Sendable () -> Date) {
        guard CurlLibrary.isReady, let share = lanyard_curl_share() else {
            // Nothing works without libcurl, and ending this process is safe: callers of the broker then go on without
            // single sign-on.
            preconditionFailure("libcurl does not start")
        }
        self.now = now
        self.share = Share(pointer: OpaquePointer(share))
        insert(cookies)
    }

    /// - Throws: ``HTTPFailure``.
    package func send(_ request: HTTPRequest) async throws -> HTTPReply {
        try await transfers.run { try self.perform(request) }
    }

    /// Makes a handle use the shared cookie jar.
    func attach(_ handle: UnsafeMutableRawPointer) {
        _ = lanyard_curl_set_share(handle, UnsafeMutableRawPointer(share.pointer))
        _ = lanyard_curl_set_text(handle, CURLOPT_COOKIEFILE, "")
    }

    func withHandle<Value>(_ body: (UnsafeMutableRawPointer) throws -> Value) rethrows -> Value {
        guard let pointer = idle.withLock({ $0.popLast() })?.pointer ?? curl_easy_init() else {
            // This happens only when memory is exhausted, and then Swift itself ends the process too.
            preconditionFailure("libcurl has no memory")
        }
        defer {
            curl_easy_reset(pointer)
            _ = lanyard_curl_set_share(pointer, nil)
            let isKept = idle.withLock { idle in
                guard idle.count < 8 else { return false }
                idle.append(Handle(pointer: pointer))
                return true
            }
            if !isKept { curl_easy_cleanup(pointer) }
        }
        return try body(pointer)
    }

    private func perform(_ request: HTTPRequest) throws -> HTTPReply {
        try withHandle { handle in
            let receiver = Receiver(bytesMax: request.bytesMax)
            let milliseconds = max(1, Int(request.timeLimit / .milliseconds(1)))
            let context = Unmanaged.passUnretained(receiver).toOpaque()
            var headers: UnsafeMutablePointer<curl_slist>?
            for header in request.headers where header.isSendable {
                headers = curl_slist_append(headers, "\(header.name): \(header.value)")
            }
            // Otherwise libcurl would wait for `100 Continue`, which few servers send.
            headers = curl_slist_append(headers, "Expect:")
            defer { curl_slist_free_all(headers) }
            if request.hasCookies { attach(handle) }
            if request.wantsCertificate { _ = lanyard_curl_set_long(handle, CURLOPT_CERTINFO, 1) }
            var options: [CURLcode] = [
                lanyard_curl_set_text(handle, CURLOPT_URL, request.url.absoluteString),
                lanyard_curl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https"),
                lanyard_curl_set_long(handle, CURLOPT_NOSIGNAL, 1),
                lanyard_curl_set_long(handle, CURLOPT_TIMEOUT_MS, milliseconds),
                lanyard_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, max(1, milliseconds / 2)),
                lanyard_curl_set_text(handle, CURLOPT_ACCEPT_ENCODING, ""),
                lanyard_curl_set_list(handle, CURLOPT_HTTPHEADER, headers),
                lanyard_curl_set_receiver(handle, Receiver.body, Receiver.head, context),
            ]
            if let body = request.body {
                options.append(lanyard_curl_set_long(handle, CURLOPT_POST, 1))
                options.append(
                    body.withUnsafeBytes {
                        lanyard_curl_set_post(handle, $0.baseAddress ?? UnsafeRawPointer(context), $0.count)
                    })
            }
            // Requests to this machine never go through a proxy, whatever the environment says.
            if WebOrigin(of: request.url)?.isLoopback == true {
                options.append(lanyard_curl_set_text(handle, CURLOPT_PROXY, ""))
            }
            if !request.certificateAuthorities.isEmpty {
                let pem = Array(request.certificateAuthorities.joined(separator: "\n").utf8)
                options.append(pem.withUnsafeBytes { lanyard_curl_set_authorities(handle, $0.baseAddress, $0.count) })
            }
            let refused = options.first { $0 != CURLE_OK }
            let result = refused ?? curl_easy_perform(handle)
            let isEnough = receiver.isTooLarge && request.isCutOff
            guard result == CURLE_OK || isEnough else {
                let host = request.url.place
                throw receiver.isTooLarge
                    ? HTTPFailure(host: host, reason: "the answer is larger than \(request.bytesMax) bytes")
                    : HTTPFailure(host: host, code: result, handle: handle)
            }
            let status = lanyard_curl_info(handle, CURLINFO_RESPONSE_CODE)
            return HTTPReply(
                status: status, headers: receiver.headers, body: receiver.content,
                certificate: request.wantsCertificate ? CurlLibrary.certificate(of: handle) : nil)
        }
    }
}

extension URL {
    /// The host, with the port if it is not the default one, as shown to people.
    package var place: String { (host() ?? absoluteString) + (port.map { ":\($0)" } ?? "") }
}

extension HeaderField {
    /// Whether the field contains no line breaks or other control characters, with which it could forge further
    /// headers.
    fileprivate var isSendable: Bool {
        !(name + value).unicodeScalars.contains { $0.isASCIIControl && $0 != "\t" }
    }
}
