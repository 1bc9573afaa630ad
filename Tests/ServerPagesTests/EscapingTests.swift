import Testing

@testable import ServerPages

@Suite struct EscapingTests {
    let pages: Pages

    init() throws {
        pages = try Pages()
    }

    private func pagesNaming(_ name: String) -> [any Page] {
        let app = RequestingApp(name: AppName(name), clientID: name, teamName: name)
        let person = SignedInPerson(name: name, userName: name, role: .student, id: name)
        let badge = Badge(name: name, id: name)
        let form = Form(action: name, hiddenFields: [HiddenField(name: name, value: name)])
        return [
            SignInPage(form: form, purpose: .signingIn(to: app), userName: name, problem: .wrongPassword),
            ChangePasswordPage(
                form: form, person: person, account: .managed(organization: badge), policy: .standard,
                reason: .temporary(switchAccount: form)),
            ConsentPage(
                app: app, subject: .organization(badge), person: person, scopes: [.init(.users, count: 1)],
                existingScopes: [.classes], returnHost: name, decision: form, switchAccount: form
            ),
            ConsentNotAllowedPage(
                app: app, person: person, account: .managed(organization: badge),
                requirement: .administrator(contacts: [.init(name: name, email: name, role: .administrator)]),
                linkToSend: name,
                switchAccount: form, cancel: form
            ),
            NotSharedPage(app: app, organization: badge, reason: .appNotListed, back: form),
            FirstAdministratorPage(form: form, organization: badge, givenName: name, familyName: name, userName: name),
            SignedOutPage(signInPath: name),
            ErrorPage(.expired, requestID: name, developerNote: name, wayOn: .init(.startPage, path: name)),
            FormPostPage(appName: AppName(name), response: form),
            WebMessagePage(appName: AppName(name), targetOrigin: name, message: name),
        ] + accountPagesNaming(name, app, person, badge, form)
    }

    private func accountPagesNaming(
        _ name: String, _ app: RequestingApp, _ person: SignedInPerson, _ badge: Badge, _ form: Form
    ) -> [any Page] {
        let managed = AccountKind.managed(organization: badge)
        let shared = SharedWithApp(name: name, email: .hidden(name))
        let moment = Samples.now
        return [
            SignUpPage(form: form, app: app, givenName: name, familyName: name, email: name, signInPath: name),
            VerifyEmailPage(form: form, purpose: .signUp, email: name, sendAgain: form, startAgainPath: name),
            ForgotPasswordPage(form: form, email: name, signInPath: name),
            NewPasswordPage(form: form, userName: name),
            WelcomePage(
                app: app, account: managed, person: person, shared: shared, decision: form, switchAccount: form
            ),
            AccountCreationPage(
                app: app, person: person,
                subject: .personal(
                    name: .init(givenName: name, familyName: name), email: .init(address: name, canHide: true)),
                decision: form, switchAccount: form
            ),
            BlockedPage(
                app: app, organization: badge, person: person,
                contacts: [.init(name: name, email: name, role: .administrator)], back: form, switchAccount: form
            ),
            DeviceCodePage(form: form, userCode: name),
            DeviceApprovalPage(
                app: app, account: managed, person: person, shared: shared, userCode: name,
                decision: form, switchAccount: form
            ),
            DeviceDonePage(.denied, appName: AppName(name)),
            TerminalApprovalPage(
                organization: badge, person: person, userCode: name, program: name, address: name,
                rights: [.readPeople],
                decision: form),
            SignOutConfirmPage(app: app, person: person, account: managed, decision: form),
            AccountPage(
                person: person, account: managed, email: "\(name)@example",
                apps: [.init(app, since: moment, shared: shared, stopPath: name)],
                connectedApps: [
                    .init(
                        app, scopes: [.users], allowedBy: name, allowedAt: moment, lastReadAt: nil, mayRead: true,
                        stopPath: name)
                ],
                sessions: [
                    .init(
                        device: Device(browser: name, system: name), signedInAt: moment, isCurrent: true,
                        signOut: form)
                ],
                devices: [.init(name: name, addedAt: moment, usedAt: nil, remove: form)],
                hiddenAddresses: [.init(address: name, teamName: name, isForwarding: true, toggle: form)],
                now: moment, notice: .stoppedUsing(appName: AppName(name)), changePasswordPath: name,
                editNamePath: name,
                changeEmailPath: name, deletePath: name, addDevicePath: name
            ),
            DeviceRegistrationPage(code: name, minutes: 15, owner: badge, accountPath: name),
            AddDevicePage(form: form, owner: badge, cancelPath: name),
            NextStepsPage(organization: badge, userName: name, consolePath: name),
            StopSharingPage(
                app: app, organization: badge, scopes: [.users], people: 1, classes: 1, isTold: true, form: form,
                cancelPath: name),
            StopUsingPage(app: app, account: managed, hiddenAddress: name, form: form, cancelPath: name),
            EditNamePage(form: form, givenName: name, familyName: name, cancelPath: name),
            ChangeEmailPage(form: form, currentEmail: name, email: name, cancelPath: name),
            DeleteAccountPage(form: form, email: name, appCount: 1, confirmation: name, cancelPath: name),
        ]
    }

    @Test("a script as a name stays text, wherever names are shown")
    func escapesScript() {
        for page in pagesNaming("<script>alert('1')</script>") {
            let html = pages.render(page)
            #expect(html.count(of: "<script") == 1)
            #expect(!html.contains("alert('"))
            #expect(html.contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;"))
        }
    }

    @Test("a quotation mark with an accent on it does not end an attribute")
    func escapesInsideClusters() {
        let accentedQuote = "\"\u{301}"
        for page in pagesNaming("x\(accentedQuote) autofocus data-y=\(accentedQuote)") {
            let html = pages.render(page)
            #expect(!html.contains(scalars: accentedQuote))
            #expect(html.contains(scalars: "x&quot;\u{301} autofocus"))
        }
    }

    @Test("each of the five characters is escaped, accents or not")
    func escapesAll() {
        var bytes: [UInt8] = []
        HTMLText.append("<\u{301}>\u{301}&\u{301}'\u{301}\"", to: &bytes)
        let escaped = String(decoding: bytes, as: UTF8.self)
        #expect(escaped == "&lt;\u{301}&gt;\u{301}&amp;\u{301}&#39;\u{301}&quot;")
    }

    @Test("a name that looks like a placeholder or a tag is not filled in")
    func doesNotFillTwice() {
        let html = pages.render(Samples.consent(app: Samples.app(named: "{organization} {{csrfToken}}")))

        #expect(html.contains("<h1>Connect {organization} {{csrfToken}} to Maple District</h1>"))
    }

    @Test("a name of 500 characters is cut in sentences, and its page stays light")
    func cutsLongNames() {
        let name = String(repeating: "長い名前", count: 125)
        let html = pages.render(Samples.consent(app: Samples.app(named: name), person: Samples.person(named: name)))

        #expect(html.contains("<h1>Connect \(name.prefix(79))… to Maple District</h1>"))
        #expect(html.contains("<bdi>\(name.prefix(79))…</bdi>"))
        #expect(html.utf8.count < 20_000)
    }

    @Test("a right-to-left name is isolated in a sentence; a left-to-right name is plain")
    func isolatesRightToLeftNames() {
        let html = pages.render(Samples.consent(app: Samples.app(named: "قوافي")))

        #expect(html.contains("<h1>Connect \u{2068}قوافي\u{2069} to Maple District</h1>"))
    }

    @Test("direction overrides are removed, so that no name reads as another")
    func removesOverrides() {
        #expect("\u{202E}relzziuQ\u{2069}\u{202C}".asWord == "relzziuQ")
    }
}

extension String {
    /// Compares scalars: `contains` compares characters, to which a quotation mark with an accent is another letter.
    fileprivate func contains(scalars text: String) -> Bool {
        let sought = Array(text.utf8)
        let own = Array(utf8)
        return own.indices.contains { own[$0...].starts(with: sought) }
    }
}
