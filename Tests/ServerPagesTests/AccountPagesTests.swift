import Foundation
import Testing

@testable import ServerPages

/// Sign-up, the account page and what it leads to, devices, signing out.
@Suite struct AccountPagesTests {
    let pages: Pages

    init() throws {
        pages = try Pages()
    }

    @Test("whether an address has an account cannot be seen from the page after it")
    func doesNotTellAccounts() {
        let html = pages.render(Samples.verify(.resetPassword))

        #expect(html.contains("If there is a personal account with the address nadia@mail.example"))
    }

    @Test("a wrong code says how many tries are left", arguments: [(1, "1 more time."), (4, "4 more times.")])
    func countsAttempts(left: Int, text: String) {
        let html = pages.render(Samples.verify(.signUp, problem: .wrongCode(attemptsLeft: left)))

        #expect(html.contains("This code is not right. You can try \(text)"))
        #expect(html.contains(#"autocomplete="one-time-code""#))
        #expect(html.contains(#"inputmode="numeric""#))
    }

    @Test("once a code has expired there is no field for it, and a new one is the button")
    func replacesExpiredCode() {
        let html = pages.render(Samples.verify(.signUp, problem: .expired))

        #expect(!html.contains(#"name="code""#))
        #expect(html.contains(#"<button class="primary">Send a new code</button>"#))
    }

    @Test(
        "too many tries say how long to wait",
        arguments: [(1, "Wait 1 minute, then"), (5, "Wait 5 minutes, then")])
    func saysHowLong(minutes: Int, text: String) {
        let refused: [any Page] = [
            SignInPage(form: Samples.form, userName: "ana", problem: .tooManyAttempts(minutes: minutes)),
            SignUpPage(form: Samples.form, problems: [.tooManyAttempts(minutes: minutes)], signInPath: "/"),
            Samples.verify(.signUp, problem: .tooManyAttempts(minutes: minutes)),
            ForgotPasswordPage(form: Samples.form, problem: .tooManyAttempts(minutes: minutes), signInPath: "/"),
            DeviceCodePage(form: Samples.form, problem: .tooManyAttempts(minutes: minutes)),
        ]
        for page in refused {
            #expect(pages.render(page).contains(text))
        }
    }

    @Test("the way to a personal account is offered only where one can be made")
    func offersSignUp() {
        let form = Samples.form
        let without = pages.render(SignInPage(form: form))
        let with = pages.render(
            SignInPage(
                form: form, purpose: .signingIn(to: Samples.app()), signUpPath: "/sign-up?a=1&b=2",
                forgotPasswordPath: "/forgot", cancel: form))

        #expect(!without.contains("personal account"))
        #expect(!without.contains(#"class="ways""#))
        #expect(with.contains(#"href="/sign-up?a=1&amp;b=2">Create a personal account</a>"#))
        #expect(with.contains(#"href="/forgot">Forgotten your password?</a>"#))
        #expect(with.contains("Back to Quizzler</button>"))
        #expect(with.contains("<h1>Sign in to Quizzler</h1>"))
    }

    @Test("a password of one’s own choice is changed with the current one; a temporary one without")
    func asksForCurrentPassword() {
        let chosen = pages.render(
            ChangePasswordPage(
                form: Samples.form, person: Samples.chen, account: Samples.managed, policy: .standard,
                reason: .chosen(cancelPath: "/account"),
                problem: .wrongCurrentPassword))
        let temporary = pages.render(
            ChangePasswordPage(
                form: Samples.form, person: Samples.chen, account: Samples.managed, policy: .standard,
                reason: .temporary(switchAccount: Samples.form)))

        #expect(chosen.contains(#"name="current_password""#))
        #expect(chosen.contains("This is not your current password."))
        #expect(chosen.contains(#"href="/account">Cancel</a>"#))
        #expect(!temporary.contains("current_password"))
    }

    @Test("the account page of a personal account lists apps, sessions, hidden addresses, and can end them")
    func showsPersonalAccount() {
        let html = pages.render(Samples.personalAccount())

        #expect(html.count(of: "<summary class=\"row\"><i class=\"badge ") == 4)
        #expect(html.contains("Since 5 March 2026"))
        #expect(html.contains("<dt>Hidden email</dt><dd><bdi>\(Samples.hidden)</bdi></dd>"))
        #expect(html.contains(#"href="/account/apps/1/stop">Stop using Burgers &amp; Tacos</a>"#))
        #expect(html.contains("Burgers &amp; Tacos only gets a code"))
        #expect(html.count(of: ">This device<") == 1)
        #expect(html.contains(">iPhone</strong><span>Signed in 2 hours ago</span>"))
        // Buttons with the same words say of which row they are.
        let rows = html.matches(of: /<strong id="([^"]+)"/).map(\.1)
        #expect(rows.count == 4 && Set(rows).count == 4)
        #expect(html.matches(of: /aria-describedby="([^"]+)"/).map(\.1) == rows)
        #expect(html.count(of: #"name="forwarding" value="off""#) == 1)
        #expect(html.count(of: #"name="forwarding" value="on""#) == 1)
        #expect(html.contains("For Ledger Works, not forwarded"))
        for path in ["name", "email", "password", "delete"] {
            #expect(html.contains("href=\"/account/\(path)\""))
        }
        #expect(html.count(of: "nadia@mail.example") == 2)  // hers, and what Slack got
    }

    @Test("user name and address are told apart by their labels; the role is named (pages 3.2)")
    func labelsNames() {
        let html = pages.render(Samples.administratorAccount())

        #expect(html.contains("<bdi>Ana Ruiz</bdi></strong><span>Administrator</span>"))
        #expect(html.contains("<dt>User name</dt><dd><bdi>ana.ruiz</bdi></dd>"))
        #expect(html.contains("<dt>Email</dt><dd><bdi>ana.ruiz@staff.maple.example</bdi></dd>"))
    }

    @Test("sessions that say the same of themselves are one row; many rows are folded, the own one is not (pages 3.3)")
    func foldsSessions() {
        let many = pages.render(Samples.administratorAccount())
        #expect(many.contains(#">Chrome on Linux</strong> <span class="count">× 15</span>"#))
        #expect(many.contains("<strong>Signed in elsewhere</strong></span><span class=\"count\">17</span>"))
        #expect(many.contains("Sign out everywhere else"))
        let few = pages.render(Samples.personalAccount())
        #expect(!few.contains("Signed in elsewhere"))
        for html in [many, few] {
            let own = html.firstRange(of: ">This device<")?.lowerBound ?? html.endIndex
            let fold = html.firstRange(of: "Signed in elsewhere")?.lowerBound ?? html.endIndex
            #expect(own < fold)
        }
    }

    @Test("deleting the account does not look like editing it (pages 3.4)")
    func marksDeletion() {
        #expect(pages.render(Samples.personalAccount()).contains(#"<a class="link danger" href="/account/delete">"#))
    }

    @Test("addresses break after @, and long parts of them after dots too (pages 3.5)")
    func breaksAddresses() {
        let html = pages.render(Samples.managedAccount(apps: []), in: .english, for: Samples.visit)
        #expect(html.contains("<bdi>chen@<wbr>staff.<wbr>maple.<wbr>example</bdi>"))
    }

    @Test(
        "an address is in parts of which a phone has room for each",
        arguments: [
            ("", []), ("nadia", ["nadia"]), ("@maple.example", ["@", "maple.example"]),
            ("nadia.okoye@maple.example", ["nadia.okoye@", "maple.example"]),
            (
                "n.okoye@pupils.maple-district.example.org",
                ["n.okoye@", "pupils.", "maple-district.", "example.", "org"]
            ),
            (
                "maximiliane.von.hohenstein@maple.example",
                ["maximiliane.", "von.", "hohenstein@", "maple.example"]
            ),
            ("a@b@", ["a@", "b@"]), ("aaaaaaaaaaaaaaaaaaaaaaa", ["aaaaaaaaaaaaaaaaaaaaaaa"]),
        ])
    func addressParts(_ address: String, _ parts: [String]) {
        #expect(address.addressParts.map(String.init) == parts)
    }

    @Test("the account page of a managed account names the organization, and offers nothing to edit")
    func showsManagedAccount() {
        let html = pages.render(Samples.managedAccount(apps: []))

        #expect(html.contains("This account belongs to Maple District."))
        #expect(html.contains("None yet. An app appears here when you sign in to it."))
        #expect(!html.contains("Hidden email"))
        #expect(!html.contains("Delete account"))
        #expect(!html.contains("Edit name"))
        #expect(!html.contains("Personal account"))
    }

    @Test(
        "a session says when it began",
        arguments: [
            (0.0, "just now"), (-60, "just now"), (119, "just now"), (120, "2 minutes ago"), (3_599, "59 minutes ago"),
            (3_600, "1 hour ago"), (86_399, "23 hours ago"), (86_400, "on 20 September 2026"),
        ])
    func saysSince(seconds: TimeInterval, text: String) {
        let session = AccountPage.Session(
            device: Device(userAgent: nil), signedInAt: Samples.now.addingTimeInterval(-seconds), isCurrent: false,
            signOut: Samples.form)
        let html = pages.render(
            AccountPage(
                person: Samples.nadia, account: .personal, email: nil, apps: [], sessions: [session],
                now: Samples.now, changePasswordPath: nil))

        #expect(html.contains(">Unknown device</strong><span>Signed in \(text)</span>"))
    }

    @Test(
        "a session says when it was used last, where that is known, and no finer than it is noted (pages 3.3)",
        arguments: [
            (0.0, "in the last few minutes"), (-60, "in the last few minutes"), (599, "in the last few minutes"),
            (600, "in the last hour"), (3_599, "in the last hour"), (3_600, "1 hour ago"), (7_200, "2 hours ago"),
        ])
    func saysLastUse(seconds: TimeInterval, text: String) {
        let session = AccountPage.Session(
            device: Device(userAgent: nil), signedInAt: Samples.now.addingTimeInterval(-36_000),
            usedAt: Samples.now.addingTimeInterval(-seconds), isCurrent: false, signOut: Samples.form)
        let html = pages.render(
            AccountPage(
                person: Samples.nadia, account: .personal, email: nil, apps: [], sessions: [session],
                now: Samples.now, changePasswordPath: nil))

        #expect(html.contains(">Unknown device</strong><span>Used \(text)</span>"))
    }

    @Test("signing out everywhere else is offered where it ends more than one session", arguments: [0, 1, 2])
    func offersSigningOutElsewhere(others: Int) {
        let form = Samples.form
        let sessions = (0...others).map { number in
            AccountPage.Session(
                device: Device(userAgent: nil), signedInAt: Samples.now, isCurrent: number == 0, signOut: form)
        }
        let html = pages.render(
            AccountPage(
                person: Samples.nadia, account: .personal, email: nil, apps: [], sessions: sessions, now: Samples.now,
                changePasswordPath: nil, signOutOthers: form))

        #expect(html.contains("Sign out everywhere else") == (others > 1))
    }

    @Test("whoever stops using an app, or deletes the account, is told what follows")
    func namesConsequences() {
        let stop = pages.render(
            StopUsingPage(
                app: Samples.slack, account: .personal, hiddenAddress: Samples.hidden, form: Samples.form,
                cancelPath: "/account"))
        let delete = pages.render(
            DeleteAccountPage(form: Samples.form, email: "nadia@mail.example", appCount: 4, cancelPath: "/account"))

        #expect(stop.contains("Slack is told at once and signs you out."))
        #expect(stop.contains("Messages to \(Samples.hidden) are no longer forwarded to you."))
        #expect(stop.contains("Keep using Slack"))
        #expect(delete.contains("You will not be able to sign in to 4 apps that you use with it."))
        #expect(delete.contains("Type nadia@mail.example to confirm"))
        #expect(delete.contains(#"name="confirmation" type="text" value="""#))
    }

    @Test("another device is not let in by Enter, and the page says what has to be true", arguments: Language.allCases)
    func guardsDeviceApproval(language: Language) {
        let html = pages.render(Samples.approval, in: language)

        let decisions = html.matches(of: /<button[^>]*name="decision" value="(\w+)"/).map { String($0.1) }
        #expect(decisions == ["deny", "continue"])
        #expect(!html.contains(" autofocus"))
        #expect(!html.contains(#"type="text""#))
        #expect(html.contains("<code>WDJB-MJHT</code>"))
    }

    @Test("a code from another device is typed in capitals, whatever the keyboard does")
    func takesDeviceCode() {
        let html = pages.render(DeviceCodePage(form: Samples.form, userCode: "wdjb-mjhx", problem: .unknownCode))

        #expect(html.contains(#"value="wdjb-mjhx""#))
        #expect(html.contains(#"autocapitalize="characters""#))
        #expect(html.contains("This code is not known, or its time is over."))
    }

    @Test("who is asked to sign out may stay; the app that asks is named if it is known")
    func asksBeforeSigningOut() {
        let known = pages.render(
            SignOutConfirmPage(
                app: Samples.slack, person: Samples.nadia, account: .personal, decision: Samples.form))
        let unknown = pages.render(
            SignOutConfirmPage(
                app: nil, person: Samples.chen, account: Samples.managed, decision: Samples.form))

        for html in [known, unknown] {
            #expect(html.contains(#"name="decision" value="sign_out""#))
            #expect(html.contains(#"name="decision" value="stay""#))
        }
        #expect(known.contains("Slack has signed you out."))
        #expect(!unknown.contains("Slack"))
    }

    @Test("a message for a popup’s opener is an attribute, whatever is in it")
    func carriesMessage() {
        let html = pages.render(
            WebMessagePage(
                appName: "Quizzler", targetOrigin: "https://quizzler.example",
                message: #"{"method":"oauthDone","data":{"state":"<'>"}}"#))

        #expect(
            html.contains(
                """
                data-message="{&quot;method&quot;:&quot;oauthDone&quot;,&quot;data&quot;:\
                {&quot;state&quot;:&quot;&lt;&#39;&gt;&quot;}}"
                """))
        #expect(html.contains(#"data-target-origin="https://quizzler.example""#))
    }

    @Test(
        "days are written as the language writes them",
        arguments: [
            (Language.english, "1 January 1970"), (.japanese, "1970年1月1日"), (.korean, "1970년 1월 1일"),
        ])
    func writesDays(language: Language, text: String) {
        #expect(language.day(Date(timeIntervalSince1970: 86_399)) == text)
        #expect(language.day(Date(timeIntervalSince1970: 86_400)) != text)
    }

    @Test(
        "browsers are called by their names",
        arguments: [
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0",
                Device(browser: "Firefox", system: "Windows")
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 "
                    + "Mobile/15E148 Safari/604.1",
                Device(browser: "Safari", system: "iPhone")
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/137.0.0.0 Safari/537.36 "
                    + "Edg/137.0.0.0",
                Device(browser: "Edge", system: "Windows")
            ),
            (
                "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/137.0.0.0 Safari/537.36",
                Device(browser: "Chrome", system: "ChromeOS")
            ),
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/137.0.0.0 Mobile Safari/537.36",
                Device(browser: "Chrome", system: "Android")
            ),
            ("curl/8.5.0", Device(browser: nil, system: nil)),
            ("<script>Linux", Device(browser: nil, system: "Linux")),
        ])
    func namesDevices(userAgent: String, device: Device) {
        #expect(Device(userAgent: userAgent) == device)
    }
}
