import CCurl
import Ground
import SingleSignOn
import WebClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A GET to one place over HTTPS, by libcurl, that goes by nothing that the system or the environment says.
final class Transfer {
    /// Where to connect.
    struct Place {
        let host: String
        let port: Int
        /// A name or an address that takes the place of the host; the certificate still has to be the host's.
        let address: String?
    }

    struct Reply {
        /// The HTTP status.
        let status: Int
        /// The body, cut off at the limit.
        let body: Data
    }

    struct Failure: Error {
        let code: CURLcode
        /// An error number of the system, such as `ECONNREFUSED`; 0 if it had no part in it.
        let systemError: Int32
        /// The status with which a proxy has answered; 0 if there was no such answer.
        let proxyStatus: Int
        /// Whether a certificate that was refused is good, and made for another name.
        let isNameRefused: Bool
        /// What libcurl says, with OpenSSL's words for TLS.
        let message: String

        /// What libcurl says of all errors of this kind.
        var words: String { String(cString: curl_easy_strerror(code)) }

        /// OpenSSL's words on why there is no TLS, such as `tlsv1 alert protocol version`.
        var reasonOfTLS: String? {
            guard message.contains("error:"), let last = message.split(separator: ":").last else { return nil }
            return String(last).trimmingWhitespace
        }
    }

    private let handle: UnsafeMutableRawPointer
    /// The place itself, without a path.
    private let url: String
    private let connectTo: UnsafeMutablePointer<curl_slist>?
    private var refused: CURLcode = CURLE_OK
    private var errors = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))

    init(to place: Place, by proxy: HTTPSProxy?) throws {
        guard CurlLibrary.isReady, let handle = curl_easy_init() else {
            throw Failure(code: CURLE_FAILED_INIT, systemError: 0, proxyStatus: 0, isNameRefused: false, message: "")
        }
        self.handle = handle
        connectTo = place.address.flatMap {
            curl_slist_append(nil, "\(place.host):\(place.port):\($0.contains(":") ? "[\($0)]" : $0):")
        }
        url = "https://\(place.host):\(place.port)/"
        set(CURLOPT_PROTOCOLS_STR, "https")
        set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        set(CURLOPT_NOSIGNAL, 1)
        keep(lanyard_curl_set_list(handle, CURLOPT_CONNECT_TO, connectTo))
        // An empty one says that the environment is not asked.
        set(CURLOPT_NOPROXY, "")
        set(CURLOPT_PROXY, proxy.map { "http://\($0.host.contains(":") ? "[\($0.host)]" : $0.host):\($0.port)" } ?? "")
        if let account = proxy?.account {
            set(CURLOPT_PROXYUSERNAME, account.name)
            set(CURLOPT_PROXYPASSWORD, account.password)
        }
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(connectTo)
    }

    /// - Parameters:
    ///   - roots: the authorities that may vouch for the server; nil means that its certificate is not checked.
    ///   - bytesMax: where a longer body is cut off.
    ///   - timeLimit: for everything.
    /// - Throws: ``Failure``
    func get(
        _ url: String, trusting roots: [Certificate]?, bytesMax: Int, within timeLimit: Duration
    ) throws -> Reply {
        set(CURLOPT_URL, url)
        trust(roots)
        var headers = curl_slist_append(nil, "Accept: application/json")
        headers = curl_slist_append(headers, "User-Agent: Lanyard")
        defer { curl_slist_free_all(headers) }
        keep(lanyard_curl_set_list(handle, CURLOPT_HTTPHEADER, headers))
        let receiver = Receiver(bytesMax: bytesMax)
        let context = Unmanaged.passUnretained(receiver).toOpaque()
        keep(lanyard_curl_set_receiver(handle, Receiver.body, Receiver.head, context))
        let result = perform(within: timeLimit)
        guard result == CURLE_OK || receiver.isTooLarge else { throw failure(result) }
        return Reply(status: lanyard_curl_info(handle, CURLINFO_RESPONSE_CODE), body: receiver.content)
    }

    /// From when and until when the server's certificate says that it is valid, whoever has made it.
    func validity(within timeLimit: Duration) throws -> (start: Date?, end: Date?) {
        set(CURLOPT_URL, url)
        set(CURLOPT_CONNECT_ONLY, 1)
        set(CURLOPT_CERTINFO, 1)
        trust(nil)
        let result = perform(within: timeLimit)
        guard result == CURLE_OK else { throw failure(result) }
        func date(_ field: String) -> Date? {
            guard let text = lanyard_curl_certificate_field(handle, field) else { return nil }
            let seconds = curl_getdate(text, nil)
            return seconds < 0 ? nil : Date(timeIntervalSince1970: TimeInterval(seconds))
        }
        return (date("Start date"), date("Expire date"))
    }

    private func trust(_ roots: [Certificate]?) {
        set(CURLOPT_SSL_VERIFYPEER, roots == nil ? 0 : 1)
        set(CURLOPT_SSL_VERIFYHOST, roots == nil ? 0 : 2)
        // Nor does what the system trusts count.
        set(CURLOPT_CAINFO, nil)
        set(CURLOPT_CAPATH, nil)
        guard let roots else { return }
        let pem = Array(roots.map(\.pem).joined().utf8)
        keep(pem.withUnsafeBytes { lanyard_curl_set_authorities(handle, $0.baseAddress, $0.count) })
    }

    private func perform(within timeLimit: Duration) -> CURLcode {
        let milliseconds = max(1, Int(timeLimit / .milliseconds(1)))
        set(CURLOPT_TIMEOUT_MS, milliseconds)
        set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds)
        guard refused == CURLE_OK else { return refused }
        return errors.withUnsafeMutableBufferPointer { buffer in
            _ = lanyard_curl_set_buffer(handle, CURLOPT_ERRORBUFFER, buffer.baseAddress)
            defer { _ = lanyard_curl_set_buffer(handle, CURLOPT_ERRORBUFFER, nil) }
            return curl_easy_perform(handle)
        }
    }

    private func failure(_ code: CURLcode) -> Failure {
        Failure(
            code: code, systemError: Int32(truncatingIfNeeded: lanyard_curl_info(handle, CURLINFO_OS_ERRNO)),
            proxyStatus: lanyard_curl_info(handle, CURLINFO_HTTP_CONNECTCODE),
            isNameRefused: lanyard_curl_is_name_refused(handle) != 0,
            message: String(decoding: errors.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    private func set(_ option: CURLoption, _ value: Int) { keep(lanyard_curl_set_long(handle, option, value)) }
    private func set(_ option: CURLoption, _ value: String?) { keep(lanyard_curl_set_text(handle, option, value)) }

    /// Remembers an option that libcurl does not take, so that nothing is asked without it.
    private func keep(_ result: CURLcode) { if result != CURLE_OK { refused = result } }
}
