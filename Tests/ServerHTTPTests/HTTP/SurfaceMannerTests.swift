import Authorization
import Testing
@testable import ServerHTTP
@testable import TestServers

/// In whose manner an error is told, by the path that was asked for.
@Suite struct SurfaceMannerTests {
    @Test(
        "a path belongs to the surface that it lies on, whether it is a route or not",
        arguments: [
            ("/rosterapi/v1/users", .roster), ("/rosterapi/v1/users/1/2/3", .roster), ("/rosterapi/", .roster),
            // An id may be any word.
            ("/rosterapi/v1/users/authorize", .roster), ("/rosterapi/authorize", .roster),
            ("/auth/oauth2/v2/token", .oauth(.roster)), ("/auth/oauth2/v2/nowhere", .oauth(.roster)),
            ("/auth/token", .oauth(.compatible)), ("/auth/usermigrationinfo", .oauth(.compatible)),
            ("/auth/oauth2/v2", .oauth(.compatible)), ("/auth/nowhere", .oauth(.compatible)),
            ("/oidc/token", .oauth(.standard)), ("/oidc/userinfo", .oauth(.standard)),
            ("/oidc/device_authorization", .oauth(.standard)), ("/oidc/log", .oauth(.standard)),
            ("/oidc/.well-known/openid-configuration", .oauth(.standard)),
            ("/device-registration", .device), ("/device-session", .device),
        ] as [(String, Surface.Manner)])
    func apps(_ path: String, _ manner: Surface.Manner) {
        #expect(Surface.manner(of: path) == manner)
    }

    @Test(
        "where people come, errors are pages",
        arguments: [
            "/", "", "/sign-in", "/nowhere", "/connect/x", "/continue/x", "/device", "/device-session/x",
            "/device-registrations", "/rosterapi", "/auth", "/oidc", "/oidcs/token", "/auth/authorize",
            "/auth/oauth2/v2/authorize", "/oidc/authorize", "/oidc/x/authorize", "/oidc/logout", "/oidc/logout/done",
            "/.well-known/openid-configuration",
        ])
    func people(_ path: String) {
        #expect(Surface.manner(of: path) == .page)
    }
}
