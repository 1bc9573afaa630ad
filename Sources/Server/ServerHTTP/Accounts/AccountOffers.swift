import Ground
import Hummingbird
import ServerPages

/// What the sign-in page offers besides signing in.
struct AccountOffers: Sendable {
    /// Whether mail can be sent.
    let hasMail: Bool
    /// Whether people may make personal accounts.
    let personalAccounts: Bool
    /// Whether browsers have passkeys for the server's address.
    let passkeys: Bool
    /// Which browsers are asked for a ticket of Kerberos; nil where none is taken.
    let tickets: TicketQuestion?
    /// How browsers reach the server, without a slash at the end.
    let baseURL: String

    /// Whether the sign-up page is there.
    var signUp: Bool { hasMail && personalAccounts }
    var newPassword: Bool { hasMail }

    /// The sign-in page, with its links.
    /// - Parameter target: where the person goes on after signing in.
    func signInPage(
        for place: SignInPlace, then target: String, userName: String = "", problem: SignInPage.Problem? = nil,
        to visitor: Visitor
    ) -> SignInPage {
        // Personal accounts are offered if there are any, or new ones can be made. Existing ones remain usable when no
        // new ones are allowed.
        let takesPersonal = !place.takesManagedOnly && (signUp || place.hasPersonalAccounts)
        // A new account cannot decide about a roster.
        let isConnecting = if case .connecting = place.purpose { true } else { false }
        return SignInPage(
            form: .signIn(then: target), purpose: place.purpose, organization: place.organization.map { Badge($0) },
            userName: userName, problem: problem,
            takesPersonal: takesPersonal,
            signUpPath: takesPersonal && signUp && !isConnecting ? Self.signUpPath(then: target) : nil,
            // Only passwords of personal accounts can be replaced here. The page tells owners of managed accounts whom
            // to ask.
            forgotPasswordPath: takesPersonal && newPassword ? Self.forgotPasswordPath(then: target) : nil,
            passkey: passkeys
                ? PasskeyForm(
                    form: Form(
                        action: FactorRoutes.passkeyPath, hiddenFields: [HiddenField(name: "continue", value: target)]),
                    purpose: .signIn) : nil,
            ticketAddress: tickets != nil && place.takesTickets
                ? TicketRoutes.address(then: target, isChosen: true, for: visitor, at: baseURL) : nil,
            cancel: place.cancel)
    }

    /// Where the browser is asked for a ticket before the sign-in page is shown; nil if the page is shown.
    func ticketAddress(
        then target: String, at place: SignInPlace, _ request: Request, _ context: AppContext, _ visitor: Visitor
    ) -> String? {
        guard tickets?.isAsked(request, context, visitor, at: place) == true else { return nil }
        return TicketRoutes.address(then: target, for: visitor, at: baseURL)
    }

    static func signUpPath(then target: String) -> String { path("/sign-up", then: target) }
    static func forgotPasswordPath(then target: String) -> String { path("/forgot-password", then: target) }
    static func signInPath(then target: String) -> String { path("/sign-in", then: target) }

    private static func path(_ path: String, then target: String) -> String {
        "\(path)?continue=\(FormEncoding.escape(target))"
    }
}
