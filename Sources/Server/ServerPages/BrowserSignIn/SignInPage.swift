/// Sign in with user name and password, or with a passkey. Posts `username` and `password`, or what ``PasskeyForm`` posts.
package struct SignInPage: Page {
    /// What the person signs in for.
    package enum Purpose: Sendable {
        /// Lanyard's own pages.
        case account
        /// Connecting an app to an organization's roster.
        case connecting(RequestingApp)
        case signingIn(to: RequestingApp)
        /// Signing in to an app on another device, whose code has been entered.
        case device(RequestingApp)
    }

    package enum Problem: Equatable, Sendable {
        /// The password is wrong or the account unknown: the page does not reveal whether an account exists.
        case wrongPassword
        /// The password was right, but it was a temporary one that has expired.
        case temporaryPasswordExpired
        /// The password was right, but the account has another user name now.
        case renamed(userName: String)
        /// The password was right, but the organization of the account has ended.
        case organizationClosed(name: String)
        /// Too many attempts for this account or from this address, whether the account exists or not. `minutes` is 1
        /// or more.
        case tooManyAttempts(minutes: Int)
        /// The passkey is not known here, or came too late.
        case passkey
        /// What the browser has shown as a ticket of Kerberos signs nobody in.
        case ticket(TicketProblem)
        /// Too many people sign in at this moment for their passwords to be checked. The attempt was not counted.
        case busy

        var sentence: Sentence {
            switch self {
            case .wrongPassword: Sentence("signIn.wrongPassword")
            case .temporaryPasswordExpired: Sentence("signIn.temporaryPasswordExpired")
            case .renamed(let userName): Sentence("signIn.renamed", ["userName": .address(userName)])
            case .organizationClosed(let name):
                Sentence("signIn.organizationClosed", ["organization": .text(name)])
            case .tooManyAttempts(let minutes): .tooManyAttempts(minutes: minutes)
            case .ticket(let problem): problem.sentence
            case .passkey: Sentence("factor.passkeyRefused")
            case .busy: .busy
            }
        }

        static let all: [Problem] =
            [
                .wrongPassword, .temporaryPasswordExpired, .renamed(userName: ""), .organizationClosed(name: ""),
                .tooManyAttempts(minutes: 5), .passkey, .busy,
            ] + TicketProblem.allCases.map(Problem.ticket)
    }

    package enum TicketProblem: Equatable, Sendable, CaseIterable {
        /// The person has asked for it, and the browser has shown none.
        case none
        /// The address was made for another browser, or for none, so that the browser is not asked.
        case elsewhere
        /// The browser has shown something else than Kerberos, such as NTLM.
        case ntlm
        /// It has expired, is for another server, or cannot be read.
        case notValid
        case used
        case unknownRealm
        /// It means nobody of the organization, or several people.
        case unknownPerson
        case deactivated
        /// The account wants more than a ticket now.
        case notEnough

        var sentence: Sentence {
            switch self {
            case .none: Sentence("signIn.ticketMissing")
            case .elsewhere: Sentence("signIn.ticketElsewhere")
            case .ntlm: Sentence("signIn.ticketNTLM")
            case .notValid: Sentence("signIn.ticketNotValid")
            case .used: Sentence("signIn.ticketUsed")
            case .unknownRealm: Sentence("signIn.ticketUnknownRealm")
            case .unknownPerson: Sentence("signIn.ticketUnknownPerson")
            case .deactivated: Sentence("signIn.ticketDeactivated")
            case .notEnough: Sentence("signIn.ticketNotEnough")
            }
        }
    }

    package let form: Form
    package let purpose: Purpose
    /// The organization whose people sign in, if the request tells; nil if it does not, or if there can be several.
    package let organization: Badge?
    package let userName: String
    package let problem: Problem?
    /// Whether the server has personal accounts besides those of organizations.
    package let takesPersonal: Bool
    /// Where a personal account can be created; nil if that is not possible here.
    package let signUpPath: String?
    /// Where a forgotten password of a personal account can be replaced.
    package let forgotPasswordPath: String?
    /// Nil where browsers have no passkeys.
    package let passkey: PasskeyForm?
    /// The URL at which the browser is asked for a ticket of Kerberos; nil where none is taken.
    package let ticketAddress: String?
    /// Returns to the app, by its hidden fields.
    package let cancel: Form?

    package init(
        form: Form,
        purpose: Purpose = .account,
        organization: Badge? = nil,
        userName: String = "",
        problem: Problem? = nil,
        takesPersonal: Bool = false,
        signUpPath: String? = nil,
        forgotPasswordPath: String? = nil,
        passkey: PasskeyForm? = nil,
        ticketAddress: String? = nil,
        cancel: Form? = nil
    ) {
        self.form = form
        self.purpose = purpose
        self.organization = organization
        self.userName = userName
        self.problem = problem
        self.takesPersonal = takesPersonal || signUpPath != nil
        self.signUpPath = signUpPath
        self.forgotPasswordPath = forgotPasswordPath
        self.passkey = passkey
        self.ticketAddress = ticketAddress
        self.cancel = cancel
    }

    package var view: View {
        var layout = FormLayout(form: form, button: Sentence("signIn.button"))
        layout.problem = problem?.sentence
        layout.fields = [userNameField, passwordField]
        layout.passkey = passkey
        layout.ways = [
            ticketAddress.map { .link(Sentence("signIn.byTicket"), to: $0) },
            forgotPasswordPath.map { .link(Sentence("signIn.forgotPassword"), to: $0) },
            signUpPath.map { .link(Sentence("signIn.signUp"), to: $0) },
            cancel.map { .form(cancelLabel, $0) },
        ].compactMap(\.self)
        // Left out if there is a page for forgotten passwords, which says the same.
        layout.aside = forgotPasswordPath == nil ? Sentence("signIn.forgotten") : nil
        layout.lead = lead
        layout.organization = organization
        layout.picture = app?.badge
        layout.maker = app?.maker
        return layout.view(
            heading: heading,
            ["app": .text(ifAny: app?.name), "organization": .text(ifAny: organization?.name)],
            // Where personal accounts exist, the owner of the account is not known yet.
            owner: takesPersonal ? nil : organization)
    }

    private var app: RequestingApp? {
        switch purpose {
        case .account: nil
        case .connecting(let app), .signingIn(let app), .device(let app): app
        }
    }

    private var heading: Sentence {
        switch purpose {
        case .account: Sentence("signIn.heading")
        case .connecting: Sentence("signIn.headingToConnect")
        case .signingIn: Sentence("signIn.headingForApp")
        case .device: Sentence("signIn.headingForDevice")
        }
    }

    private var lead: Sentence {
        switch (organization == nil, takesPersonal) {
        case (true, false): Sentence("signIn.lead")
        case (true, true): Sentence("signIn.leadForAny")
        case (false, false): Sentence("signIn.leadOfOrganization")
        case (false, true): Sentence("signIn.leadForAnyOfOrganization")
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
            isFocused: userName.isEmpty, hasMessage: problem != nil, isSuspect: problem == .wrongPassword,
            takesPasskey: passkey != nil
        )
    }

    private var passwordField: Field {
        Field(
            name: "password", kind: .currentPassword, label: Sentence("form.password"),
            isFocused: !userName.isEmpty, hasMessage: problem != nil, isSuspect: problem == .wrongPassword
        )
    }
}
