/// Sign in with user name and password. Posts `username` and `password`.
package struct SignInPage: Page {
    /// What the person is on the way to.
    package enum Purpose: Sendable {
        /// Lanyard's own pages.
        case account
        /// Connecting an app to an organization's roster.
        case connecting(appName: String)
        case signingIn(to: RequestingApp)
        /// Entering the code of another device.
        case device
    }

    package enum Problem: Equatable, Sendable {
        /// Unknown account and wrong password alike, so that the page does not tell whether an account exists.
        case wrongPassword
        /// The password was right, but temporary, and its time is over.
        case temporaryPasswordExpired
        /// For this account, or from this address; existing and unknown accounts alike. `minutes` is 1 or more.
        case tooManyAttempts(minutes: Int)
        /// More people sign in at this moment than passwords can be checked. Nothing was counted against anyone.
        case busy

        var sentence: Sentence {
            switch self {
            case .wrongPassword: Sentence("signIn.wrongPassword")
            case .temporaryPasswordExpired: Sentence("signIn.temporaryPasswordExpired")
            case .tooManyAttempts(let minutes): .tooManyAttempts(minutes: minutes)
            case .busy: .busy
            }
        }

        static let all: [Problem] = [
            .wrongPassword, .temporaryPasswordExpired, .tooManyAttempts(minutes: 5), .busy,
        ]
    }

    package let form: Form
    package let purpose: Purpose
    package let userName: String
    package let problem: Problem?
    /// Whether people have accounts of their own here, besides those of organizations.
    package let takesPersonal: Bool
    /// Where a personal account is made; nil where none can be made or used.
    package let signUpPath: String?
    /// Where a forgotten password of a personal account is replaced.
    package let forgotPasswordPath: String?
    /// Goes back to the app; its hidden fields say so.
    package let cancel: Form?

    package init(
        form: Form,
        purpose: Purpose = .account,
        userName: String = "",
        problem: Problem? = nil,
        takesPersonal: Bool = false,
        signUpPath: String? = nil,
        forgotPasswordPath: String? = nil,
        cancel: Form? = nil
    ) {
        self.form = form
        self.purpose = purpose
        self.userName = userName
        self.problem = problem
        self.takesPersonal = takesPersonal || signUpPath != nil
        self.signUpPath = signUpPath
        self.forgotPasswordPath = forgotPasswordPath
        self.cancel = cancel
    }

    package var view: View {
        var layout = FormLayout(form: form, button: Sentence("signIn.button"))
        layout.problem = problem?.sentence
        layout.fields = [userNameField, passwordField]
        layout.ways = [
            forgotPasswordPath.map { .link(Sentence("signIn.forgotPassword"), to: $0) },
            signUpPath.map { .link(Sentence("signIn.signUp"), to: $0) },
            cancel.map { .form(cancelLabel, $0) },
        ].compactMap(\.self)
        // The page for forgotten passwords says it too.
        layout.aside = forgotPasswordPath == nil ? Sentence("signIn.forgotten") : nil
        layout.lead = Sentence(takesPersonal ? "signIn.leadForAny" : "signIn.lead")
        switch purpose {
        case .account:
            return layout.view(heading: Sentence("signIn.heading"))
        case .connecting(let appName):
            return layout.view(heading: Sentence("signIn.headingToConnect"), ["app": .text(appName)])
        case .signingIn(let app):
            layout.picture = app.badge
            layout.maker = app.maker
            return layout.view(heading: Sentence("signIn.headingForApp"), ["app": .text(app.name)])
        case .device:
            return layout.view(heading: Sentence("signIn.headingForDevice"))
        }
    }

    private var cancelLabel: Sentence {
        switch purpose {
        case .signingIn: Sentence("notShared.back")
        case .account, .connecting, .device: Sentence("form.cancel")
        }
    }

    private var userNameField: Field {
        Field(
            name: "username", kind: .userName,
            label: Sentence(takesPersonal ? "form.userNameOrEmail" : "form.userName"), value: userName,
            isFocused: userName.isEmpty, hasMessage: problem != nil, isSuspect: problem == .wrongPassword
        )
    }

    private var passwordField: Field {
        Field(
            name: "password", kind: .currentPassword, label: Sentence("form.password"),
            isFocused: !userName.isEmpty, hasMessage: problem != nil, isSuspect: problem == .wrongPassword
        )
    }
}
