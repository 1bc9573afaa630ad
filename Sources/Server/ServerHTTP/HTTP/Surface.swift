import Authorization

/// A part of the server's paths that is there for one kind of client: where it is, and in whose manner errors are told
/// there, declared together.
///
/// Not by groups of routes with a middleware each, as the router would have it: it runs a group's middleware only
/// before the handlers of the group's own routes. A path that is no route, a method that a path does not have and a
/// body that is too long would leave the surface, and an app would get a page for people. So errors are told by one
/// middleware before the router, which asks here; routes are written where they are mounted, in full, so that a search
/// for a path finds them.
struct Surface: Sendable {
    /// In what form errors are told.
    enum Manner: Equatable, Sendable {
        case roster
        /// In the words of OAuth 2.0.
        case oauth(Profile)
        case device
        /// A page for people.
        case page
    }

    let manner: Manner
    /// Which paths belong to it.
    private let contains: @Sendable (String) -> Bool

    /// - Parameters:
    ///   - prefix: with a slash at its end.
    ///   - isPage: whether a path that lies below it is for people all the same.
    private init(
        below prefix: String, _ manner: Manner, leaving isPage: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        self.manner = manner
        contains = { $0.hasPrefix(prefix) && !isPage($0) }
    }

    private init(at paths: Set<String>, _ manner: Manner) {
        self.manner = manner
        contains = paths.contains
    }

    private static let roster = Surface(below: "/rosterapi/", .roster)
    private static let rosterOAuth = Surface(below: "/auth/oauth2/v2/", .oauth(.roster), leaving: isAuthorization)
    private static let compatible = Surface(below: "/auth/", .oauth(.compatible), leaving: isAuthorization)
    private static let standard = Surface(below: "/oidc/", .oauth(.standard)) {
        isAuthorization($0) || $0.hasPrefix("/oidc/logout")
    }
    private static let devices = Surface(
        at: [DeviceRegistrationRoutes.path, DeviceSessionRoutes.path], .device)

    /// Whether people are sent to the path, to sign in and consent.
    @Sendable private static func isAuthorization(_ path: String) -> Bool { path.hasSuffix("/authorize") }

    /// The first that contains a path has it: one lies within another.
    private static let all = [roster, rosterOAuth, compatible, standard, devices]

    /// In whose manner an error is told to whoever asked for a path.
    static func manner(of path: String) -> Manner { all.first { $0.contains(path) }?.manner ?? .page }

    /// What browsers may show to pages of other origins. It stands here and not at the routes, because a browser asks
    /// with OPTIONS before it asks with the method that there is a route for.
    static let readAcrossOrigins: Set = ["/oidc/token", "/oidc/revoke", "/oidc/userinfo"]
}
