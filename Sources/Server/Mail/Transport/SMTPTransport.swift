import CCurl
import Foundation
import Ground

/// Delivers mails to a mail server with libcurl, which supports SMTP, its extensions and TLS.
///
/// Each mail gets a connection of its own, since this server sends few mails.
package struct SMTPTransport: MailTransport {
    package struct Server: Sendable {
        /// `smtp://host:port` or `smtps://host:port`.
        package let url: String
        package let userName: String?
        let password: String?
        /// A PEM file of the certificate authorities to trust; nil for those of this machine.
        package let certificateAuthorityFile: String?
        /// Whether a connection without TLS, or with a certificate that does not match, is an error. A server on this
        /// machine is exempt unless ``certificateAuthorityFile`` is set, because it hardly ever has a certificate for
        /// `localhost`.
        package let requiresTLS: Bool
        package let host: String

        /// - Throws: ``Problem`` if the URL or the credentials are invalid.
        package init(
            url: String, userName: String? = nil, password: String? = nil, certificateAuthorityFile: String? = nil
        ) throws {
            // First, because the message for other mistakes has the address in it, and so a password.
            if let parts = URLComponents(string: url), parts.user != nil || parts.password != nil {
                throw Problem.namesUser
            }
            guard let parts = URLComponents(string: url), let scheme = parts.scheme,
                ["smtp", "smtps"].contains(scheme),
                let host = parts.host, !host.isEmpty, ["", "/"].contains(parts.path), parts.query == nil,
                parts.fragment == nil
            else { throw Problem.malformedURL(url) }
            guard (userName == nil) == (password == nil) else { throw Problem.halfOfCredentials }
            self.url = "\(scheme)://\(parts.encodedHost ?? host)" + (parts.port.map { ":\($0)" } ?? "")
            self.userName = userName
            self.password = password
            self.certificateAuthorityFile = certificateAuthorityFile
            self.host = host
            requiresTLS = !Loopback.contains(host: host) || certificateAuthorityFile != nil
        }

        package enum Problem: Error, Equatable, CustomStringConvertible {
            case malformedURL(String)
            case namesUser
            case halfOfCredentials

            package var description: String {
                switch self {
                case .malformedURL(let url):
                    "“\(url)” names no mail server. Write one such as smtp://mail.school.example:587 or "
                        + "smtps://mail.school.example."
                case .namesUser: "The address of the mail server may not name a user: use mail.smtp.userName."
                case .halfOfCredentials: "mail.smtp.userName and mail.smtp.passwordFile belong together."
                }
            }
        }
    }

    /// Time limits in seconds, for a whole mail and for connecting.
    package static let timeout: TimeInterval = 60
    private static let connectTimeout = 20

    private let server: Server
    private let queue = BlockingQueue(width: 4)

    package init(_ server: Server) { self.server = server }

    package func send(_ content: String, from sender: MailAddress, to recipient: MailAddress) async throws {
        let server = server
        try await queue.run { try Self.deliver(content, from: sender, to: recipient, by: server) }
    }

    /// `curl_global_init` must not be called by several threads at once; a static constant is initialized once.
    private static let library: CURLcode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    private static func deliver(
        _ content: String, from sender: MailAddress, to recipient: MailAddress, by server: Server
    ) throws {
        let recipients = curl_slist_append(nil, "<\(recipient.text)>")
        defer { curl_slist_free_all(recipients) }
        var reader = Reader(bytes: Array(content.utf8))
        try withUnsafeMutablePointer(to: &reader) { reader in
            try talk(to: server, greetingAs: sender.domain) { handle in
                [
                    lanyard_curl_set_text(handle, CURLOPT_MAIL_FROM, "<\(sender.text)>"),
                    lanyard_curl_set_list(handle, CURLOPT_MAIL_RCPT, recipients),
                    lanyard_curl_set_long(handle, CURLOPT_UPLOAD, 1),
                    lanyard_curl_set_reader(handle, Reader.read, reader),
                ]
            }
        }
    }

    /// Connects as for a mail, with TLS and the password where they are set, and sends none.
    /// - Parameter domain: the domain of the sender, with which the server is greeted.
    /// - Throws: ``MailFailure`` if a mail would get no further either.
    package func probe(greetingAs domain: String) async throws {
        let server = server
        try await queue.run {
            try Self.talk(to: server, greetingAs: domain) { handle in
                [
                    lanyard_curl_set_text(handle, CURLOPT_CUSTOMREQUEST, "NOOP"),
                    lanyard_curl_set_long(handle, CURLOPT_NOBODY, 1),
                ]
            }
        }
    }

    /// One session with the mail server.
    /// - Parameter options: sets what the session is for; nothing happens if one of the results is no success.
    private static func talk(
        to server: Server, greetingAs domain: String, _ options: (UnsafeMutableRawPointer) -> [CURLcode]
    ) throws {
        guard library == CURLE_OK, let handle = curl_easy_init() else {
            throw MailFailure(reason: "libcurl does not start", isPermanent: false)
        }
        defer { curl_easy_cleanup(handle) }
        var errorBuffer = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
        let (result, status) = errorBuffer.withUnsafeMutableBufferPointer { errors -> (CURLcode, Int) in
            let common: [CURLcode] = [
                lanyard_curl_set_buffer(handle, CURLOPT_ERRORBUFFER, errors.baseAddress),
                lanyard_curl_set_text(handle, CURLOPT_URL, "\(server.url)/\(domain)"),
                lanyard_curl_set_text(handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps"),
                // Ignore a proxy from the environment, which is meant for HTTP.
                lanyard_curl_set_text(handle, CURLOPT_PROXY, ""),
                lanyard_curl_set_long(
                    handle, CURLOPT_USE_SSL, Int((server.requiresTLS ? CURLUSESSL_ALL : CURLUSESSL_TRY).rawValue)),
                lanyard_curl_set_long(handle, CURLOPT_SSL_VERIFYPEER, server.requiresTLS ? 1 : 0),
                lanyard_curl_set_long(handle, CURLOPT_SSL_VERIFYHOST, server.requiresTLS ? 2 : 0),
                lanyard_curl_set_long(handle, CURLOPT_NOSIGNAL, 1),
                lanyard_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT, connectTimeout),
                lanyard_curl_set_long(handle, CURLOPT_TIMEOUT, Int(timeout)),
                server.userName.map { lanyard_curl_set_text(handle, CURLOPT_USERNAME, $0) } ?? CURLE_OK,
                server.password.map { lanyard_curl_set_text(handle, CURLOPT_PASSWORD, $0) } ?? CURLE_OK,
                server.certificateAuthorityFile.map { lanyard_curl_set_text(handle, CURLOPT_CAINFO, $0) }
                    ?? CURLE_OK,
            ]
            if let refused = (common + options(handle)).first(where: { $0 != CURLE_OK }) { return (refused, 0) }
            let result = curl_easy_perform(handle)
            return (result, lanyard_curl_info(handle, CURLINFO_RESPONSE_CODE))
        }
        guard result != CURLE_OK else { return }
        let words = String(decoding: errorBuffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        throw failure(result, status: status, words: words)
    }

    private static func failure(_ result: CURLcode, status: Int, words: String) -> MailFailure {
        let words = words.isEmpty ? String(cString: curl_easy_strerror(result)) : words
        // Only a reply that concerns this mail is permanent, not one about the session or our credentials. RFC 5321
        // §4.2.1.
        let isAboutMail = result == CURLE_SEND_ERROR || result == CURLE_WEIRD_SERVER_REPLY
        return MailFailure(
            reason: status == 0 ? words : "\(words) (status \(status))",
            isPermanent: isAboutMail && (550...559).contains(status))
    }
}

/// The source from which libcurl reads the mail.
private struct Reader {
    let bytes: [UInt8]
    var position = 0

    static let read: curl_read_callback = { buffer, size, count, context in
        guard let buffer, let reader = context?.assumingMemoryBound(to: Reader.self) else { return 0 }
        let length = min(size * count, reader.pointee.bytes.count - reader.pointee.position)
        reader.pointee.bytes.withUnsafeBytes { bytes in
            guard length > 0, let start = bytes.baseAddress else { return }
            buffer.update(
                from: start.advanced(by: reader.pointee.position).assumingMemoryBound(to: CChar.self), count: length)
        }
        reader.pointee.position += length
        return length
    }
}
