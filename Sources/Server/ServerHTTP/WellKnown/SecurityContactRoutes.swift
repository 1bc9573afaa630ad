import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// `/.well-known/security.txt`: where to report a vulnerability, if the operator has configured it. RFC 9116.
struct SecurityContactRoutes: Sendable {
    /// See ``ServerConfiguration/securityContact``.
    let contact: String?
    let baseURL: String
    let now: @Sendable () -> Date

    /// RFC 9116 §2.5.5 requires an expiry date. The file is generated for each request, so the date is always this many
    /// seconds ahead.
    private static let lifetime: TimeInterval = 30 * 86_400

    func mount(on router: some RouterMethods<AppContext>) {
        // Without a contact the path answers 404.
        guard let contact else { return }
        router.get(".well-known/security.txt") { [baseURL, now] _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
                body: ResponseBody(
                    byteBuffer: ByteBuffer(
                        string: """
                            Contact: \(contact)
                            Expires: \(now().addingTimeInterval(Self.lifetime).formatted(.iso8601))
                            Canonical: \(baseURL)/.well-known/security.txt

                            """)))
        }
    }
}
