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
    /// Sent by POST if there is one, else the request is a GET.
    package var body: Data?
    package var headers: [HeaderField] = []
    /// Whether the client's cookies go along and new ones are kept.
    package var hasCookies = false
    /// Whether a person has typed what is in it: it goes to the provider alone.
    package var isTyped = false
    /// Certificates in PEM, of authorities that count beside the system's.
    package var certificateAuthorities: [String] = []
    /// The size of the largest body that is taken, in bytes.
    package var bytesMax = 1 << 20
    /// Whether a larger body is cut off there, instead of failing the request.
    package var isCutOff = false
    /// For the whole exchange; half of it for the connection.
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

    package init(status: Int, headers: [HeaderField], body: Data) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package var text: String { String(decoding: body, as: UTF8.self) }
}

/// Why there is no answer.
package struct HTTPFailure: Error, CustomStringConvertible {
    package let host: String
    /// What the matter is, as half a sentence.
    package let reason: String

    package var description: String { "\(host) does not answer: \(reason)" }
}

extension HTTPFailure {
    /// - Parameter handle: of the transfer that failed, which knows more than the code.
    init(host: String, code: CURLcode, handle: UnsafeMutableRawPointer) {
        let reason =
            switch code {
            case CURLE_COULDNT_RESOLVE_HOST: "its name is not known to DNS"
            case CURLE_COULDNT_RESOLVE_PROXY: "the name of the proxy is not known to DNS"
            case CURLE_COULDNT_CONNECT: Self.systemError(handle) ?? "nobody answers there"
            case CURLE_PEER_FAILED_VERIFICATION where lanyard_curl_info(handle, CURLINFO_SSL_VERIFYRESULT) == 0:
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
