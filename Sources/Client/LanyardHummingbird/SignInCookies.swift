import Foundation
import Hummingbird

/// The names and attributes of the cookies.
///
/// Cookies are shared between ports, so an app on this machine must not use the names of the service's own cookies.
/// With the prefix `__Host-`, browsers refuse a cookie of that name from a sibling domain or over http.
struct SignInCookies: Sendable {
    let isSecure: Bool

    var sessionName: String { isSecure ? "__Host-sign-in-session" : "sign-in-session" }

    /// One cookie for each sign-in attempt, so that two tabs do not interfere.
    func tripName(state: String) -> String {
        tripPrefix + state.prefix(8)
    }

    var tripPrefix: String { isSecure ? "__Host-sign-in-trip-" : "sign-in-trip-" }

    func session(_ value: String, lifetime: TimeInterval) -> Cookie {
        Cookie(
            name: sessionName, value: value, maxAge: Int(lifetime), path: "/", secure: isSecure, httpOnly: true,
            sameSite: .lax)
    }

    /// The service's page posts a form to the app, and browsers send no `Lax` cookies with it. `None` requires https;
    /// over http the app's own page posts the form again.
    func trip(_ value: String, state: String, lifetime: TimeInterval) -> Cookie {
        Cookie(
            name: tripName(state: state), value: value, maxAge: Int(lifetime), path: "/", secure: isSecure,
            httpOnly: true, sameSite: isSecure ? Cookie.SameSite.none : .lax)
    }

    func expired(_ name: String) -> Cookie {
        Cookie(
            name: name, value: "", maxAge: 0, path: "/", secure: isSecure, httpOnly: true,
            sameSite: isSecure && name != sessionName ? Cookie.SameSite.none : .lax)
    }
}

extension Request {
    /// The names of all cookies with this prefix.
    func cookieNames(prefix: String) -> [String] {
        headers[values: .cookie].flatMap { $0.split(separator: ";") }
            .map { String($0.drop { $0 == " " }.prefix { $0 != "=" }) }
            .filter { $0.hasPrefix(prefix) }
    }
}
