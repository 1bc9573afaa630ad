import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// `/.well-known/security.txt`: whom to tell of a weakness, if whoever runs the server has said so. RFC 9116.
struct SecurityContactRoutes: Sendable {
    /// See ``ServerConfiguration/securityContact``.
    let contact: String?
    let baseURL: String
    let now: @Sendable () -> Date

    /// Section 2.5.5 wants a date. The file is made anew for each request, so the date is always this far away.
    private static let lifetime: TimeInterval = 30 * 86_400

    func mount(on router: some RouterMethods<AppContext>) {
        // 404 says that nobody was named.
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
