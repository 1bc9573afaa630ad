import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// `/.well-known/apple-app-site-association`: the apps whose sign-on extension the server lets answer in its place.
/// No extension gets a browser's traffic for a host that does not name it here.
/// docs/specifications/extensible-single-sign-on.md, 8.
struct AssociationRoutes: Sendable {
    /// Team, dot, bundle identifier.
    let apps: [String]

    func mount(on router: some RouterMethods<AppContext>) {
        // Without apps there is nothing to associate: 404 says so to everyone who looks.
        guard !apps.isEmpty else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        // It holds nothing but text, which JSON always can.
        let body = ByteBuffer(bytes: try! encoder.encode(File(authsrv: .init(apps: apps))))
        router.get(".well-known/apple-app-site-association") { _, _ in
            Response(
                status: .ok,
                // Whoever is taken off the list is off within the hour, wherever it was kept.
                headers: [.contentType: "application/json", .cacheControl: "public, max-age=3600"],
                body: ResponseBody(byteBuffer: body))
        }
    }

    private struct File: Encodable {
        struct Service: Encodable {
            let apps: [String]
        }
        let authsrv: Service
    }
}
