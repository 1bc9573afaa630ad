import CCurl
import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// One request; redirections are not followed.
package struct HTTPRequest: Sendable {
    package var url: URL
    /// The body of a POST; without one, the request is a GET.
    package var body: Data?
    package var headers: [HeaderField] = []
    /// Whether the client's cookies are sent and cookies of the response are kept.
    package var hasCookies = false
    /// Whether it contains what a person has typed, such as a password: it must go to the provider only.
    package var isTyped = false
    /// Further certificate authorities to be trusted beside the system's, in PEM.
    package var certificateAuthorities: [String] = []
    /// The size of the largest body that is taken, in bytes.
    package var bytesMax = 1 << 20
    /// Whether a larger body is cut off at ``bytesMax`` instead of failing the request.
    package var isCutOff = false
    /// Whether ``HTTPReply/certificate`` is wanted.
    package var wantsCertificate = false
    /// The time limit for the whole exchange; half of it for connecting.
    package var timeLimit = Duration.seconds(10)

    package init(_ url: URL) { self.url = url }

    package static func form(_ url: URL, _ fields: [FormField]) -> HTTPRequest {
        var request = HTTPRequest(url)
        request.body = Data(FormEncoding.encode(fields).utf8)
        request.headers = [HeaderField("Content-Type", FormEncoding.contentType)]
        return request
    }
}

package struct HTTPReply: Sendable {
    package let status: Int
    package let headers: [HeaderField]
    package let body: Data
    /// The server's certificate in DER; nil if it was not wanted, without TLS, and on a connection that was open before.
    package var certificate: Data?

    package init(status: Int, headers: [HeaderField], body: Data, certificate: Data? = nil) {
        self.certificate = certificate
        self.status = status
        self.headers = headers
        self.body = body
    }

    package var text: String { String(decoding: body, as: UTF8.self) }
}

/// Why a request got no answer.
package struct HTTPFailure: Error, CustomStringConvertible {
    package let host: String
    /// The reason, as half a sentence for "HOST does not answer: …".
    package let reason: String

    package var description: String { "\(host) does not answer: \(reason)" }
}

extension HTTPFailure {
    /// - Parameter handle: the handle of the failed transfer, which knows more than the code.
    init(host: String, code: CURLcode, handle: UnsafeMutableRawPointer) {
        let reason =
            switch code {
            case CURLE_COULDNT_RESOLVE_HOST: "its name is not known to DNS"
            case CURLE_COULDNT_RESOLVE_PROXY: "the name of the proxy is not known to DNS"
            case CURLE_COULDNT_CONNECT: Self.systemError(handle) ?? "nobody answers there"
            case CURLE_PEER_FAILED_VERIFICATION where lanyard_curl_is_name_refused(handle) != 0:
                "its certificate is made for another name"
            case CURLE_PEER_FAILED_VERIFICATION:
                "its certificate is not valid today, or not made by an authority that this device knows"
            case CURLE_SSL_CONNECT_ERROR: "there is no TLS with it"
            default: String(cString: curl_easy_strerror(code))
            }
        self.init(host: host, reason: reason)
    }

    private static func systemError(_ handle: UnsafeMutableRawPointer) -> String? {
        let number = lanyard_curl_info(handle, CURLINFO_OS_ERRNO)
        return number == 0 ? nil : String(cString: strerror(Int32(number)))
    }
}
