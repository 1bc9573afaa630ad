import Foundation
import ServerPages

/// What the sign-in page offers besides signing in.
struct AccountOffers: Sendable {
    /// Mail can be sent.
    let hasMail: Bool
    /// People may make accounts of their own.
    let personalAccounts: Bool

    /// Whether somebody can make one.
    var signUp: Bool { hasMail && personalAccounts }
    var newPassword: Bool { hasMail }

    /// The sign-in page, with what leads on from it.
    /// - Parameter target: where the person goes on after signing in.
    func signInPage(
        for place: SignInPlace, then target: String, userName: String = "", problem: SignInPage.Problem? = nil
    ) -> SignInPage {
        // Not where nobody has one, and nobody can make one. Those that exist stay, whether new ones are wanted or not.
        let takesPersonal = !place.takesManagedOnly && (signUp || place.hasPersonalAccounts)
        // With a new account, nobody could decide about a roster.
        let isConnecting = if case .connecting = place.purpose { true } else { false }
        return SignInPage(
            form: .signIn(then: target), purpose: place.purpose, organization: place.organization.map { Badge($0) },
            userName: userName, problem: problem,
            takesPersonal: takesPersonal,
            signUpPath: takesPersonal && signUp && !isConnecting ? Self.signUpPath(then: target) : nil,
            // It replaces passwords of personal accounts. Whoever has another reads whom to ask instead.
            forgotPasswordPath: takesPersonal && newPassword ? Self.forgotPasswordPath(then: target) : nil,
            cancel: place.cancel)
    }

    static func signUpPath(then target: String) -> String { path("/sign-up", then: target) }
    static func forgotPasswordPath(then target: String) -> String { path("/forgot-password", then: target) }
    static func signInPath(then target: String) -> String { path("/sign-in", then: target) }

    private static func path(_ path: String, then target: String) -> String {
        let escaped = target.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "\(path)?continue=\(escaped)"
    }
}
