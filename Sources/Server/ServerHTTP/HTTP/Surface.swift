import Authorization

/// A set of paths for one kind of client, together with the form of the errors there.
///
/// Groups of routes with a middleware each would not be enough: the router runs a group's middleware only before the
/// handlers of the group's own routes. For an unknown path, an unsupported method or a body that is too long, an app
/// would then get a page for people. So one middleware before the router writes all errors, and asks here for their
/// form. Routes are written in full where they are mounted, so that a search for a path finds them.
struct Surface: Sendable {
    /// The form of errors.
    enum Manner: Equatable, Sendable {
        case roster
        /// In the words of OAuth 2.0.
        case oauth(Profile)
        case device
        /// Problem details (RFC 9457).
        case administration
        /// A page for people.
        case page
    }

    let manner: Manner
    /// Whether a path belongs to the surface.
    private let contains: @Sendable (String) -> Bool

    /// - Parameters:
    ///   - prefix: with a slash at its end.
    ///   - isPage: whether a path below the prefix is for people nevertheless.
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

    private static let administrationToken = Surface(at: APITokenRoutes.paths, .oauth(.standard))
    private static let administration = Surface(below: AdministrationRoutes.prefix, .administration)

    /// Whether apps send people to the path, to sign in and consent.
    @Sendable private static func isAuthorization(_ path: String) -> Bool { path.hasSuffix("/authorize") }

    /// In order of precedence, because one surface lies within another.
    private static let all = [
        roster, rosterOAuth, compatible, standard, devices, administrationToken, administration,
    ]

    /// The form of errors for requests of a path.
    static func manner(of path: String) -> Manner { all.first { $0.contains(path) }?.manner ?? .page }

    /// Paths whose answers pages of other origins may read. The list is not at the routes, because a browser sends
    /// OPTIONS before it sends the method for which there is a route.
    static let readAcrossOrigins: Set = ["/oidc/token", "/oidc/revoke", "/oidc/userinfo"]
}
