import Foundation
import ServerPages

/// What the sign-in page offers besides signing in.
struct AccountOffers: Sendable {
    /// Mail can be sent, and personal accounts are wanted.
    let signUp: Bool
    /// Mail can be sent.
    let newPassword: Bool

    /// Nil where no personal account can be made, or none would be of use: rosters are connected with managed ones.
    private func signUpPath(for purpose: SignInPage.Purpose, then target: String) -> String? {
        if case .connecting = purpose { return nil }
        return signUp ? Self.signUpPath(then: target) : nil
    }

    /// The sign-in page, with what leads on from it.
    /// - Parameter target: where the person goes on after signing in.
    func signInPage(
        for place: SignInPlace, then target: String, userName: String = "", problem: SignInPage.Problem? = nil
    ) -> SignInPage {
        SignInPage(
            form: .signIn(then: target), purpose: place.purpose, userName: userName, problem: problem,
            signUpPath: signUpPath(for: place.purpose, then: target),
            forgotPasswordPath: newPassword ? Self.forgotPasswordPath(then: target) : nil, cancel: place.cancel)
    }

    static func signUpPath(then target: String) -> String { path("/sign-up", then: target) }
    static func forgotPasswordPath(then target: String) -> String { path("/forgot-password", then: target) }
    static func signInPath(then target: String) -> String { path("/sign-in", then: target) }

    private static func path(_ path: String, then target: String) -> String {
        let escaped = target.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "\(path)?continue=\(escaped)"
    }
}
