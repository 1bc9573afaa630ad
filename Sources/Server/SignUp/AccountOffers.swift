import Foundation
import ServerPages

/// What the sign-in page offers besides signing in.
struct AccountOffers: Sendable {
    /// Mail can be sent.
    let hasMail: Bool
    /// Personal accounts are wanted.
    let personalAccounts: Bool

    /// Whether somebody can make one.
    var signUp: Bool { hasMail && personalAccounts }
    var newPassword: Bool { hasMail }

    /// The sign-in page, with what leads on from it.
    /// - Parameter target: where the person goes on after signing in.
    func signInPage(
        for place: SignInPlace, then target: String, userName: String = "", problem: SignInPage.Problem? = nil
    ) -> SignInPage {
        // Rosters are connected with managed accounts.
        let isConnecting = if case .connecting = place.purpose { true } else { false }
        // Not where nobody has one, and nobody can make one.
        let takesPersonal = !isConnecting && personalAccounts && (hasMail || place.hasPersonalAccounts)
        return SignInPage(
            form: .signIn(then: target), purpose: place.purpose, organization: place.organization.map { Badge($0) },
            userName: userName, problem: problem,
            takesPersonal: takesPersonal,
            signUpPath: takesPersonal && signUp ? Self.signUpPath(then: target) : nil,
            // It replaces passwords of personal accounts.
            forgotPasswordPath: takesPersonal && newPassword ? Self.forgotPasswordPath(then: target) : nil, cancel: place.cancel)
    }

    static func signUpPath(then target: String) -> String { path("/sign-up", then: target) }
    static func forgotPasswordPath(then target: String) -> String { path("/forgot-password", then: target) }
    static func signInPath(then target: String) -> String { path("/sign-in", then: target) }

    private static func path(_ path: String, then target: String) -> String {
        let escaped = target.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "\(path)?continue=\(escaped)"
    }
}
