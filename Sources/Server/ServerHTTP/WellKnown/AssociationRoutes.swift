import Foundation
import Ground
import Hummingbird

/// `/.well-known/apple-app-site-association`: the apps whose sign-on extension may answer in the server's place. An
/// extension gets no traffic for a host that does not name it here. docs/specifications/extensible-single-sign-on.md,
/// 8.
struct AssociationRoutes: Sendable {
    /// Team, dot, bundle identifier.
    let apps: [String]

    func mount(on router: some RouterMethods<AppContext>, _ standing: inout StandingAnswers) {
        // Without apps there is no file, and the path answers 404.
        guard !apps.isEmpty else { return }
        // Encoding cannot fail, because there are only strings.
        let bytes = Array(try! JSONEncoder.stable.encode(File(authsrv: .init(apps: apps))))
        // The short time lets an app that is removed from the list lose its association within an hour, wherever the
        // file is cached.
        let file = PublicFile(
            bytes, contentType: "application/json", cacheControl: "public, max-age=3600", isForAllSites: false)
        standing.serve("/.well-known/apple-app-site-association", on: router, file.answer)
    }

    private struct File: Encodable {
        struct Service: Encodable {
            let apps: [String]
        }
        let authsrv: Service
    }
}
