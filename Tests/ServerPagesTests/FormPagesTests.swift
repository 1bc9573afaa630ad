import Testing

@testable import ServerPages

@Suite struct FormPagesTests {
    let pages: Pages

    init() throws {
        pages = try Pages()
    }

    /// The input of that name, as text.
    private func input(_ name: String, in html: String) throws -> String {
        let inputs = html.matches(of: /<input[^>]*>/).map { String($0.0) }
        return try #require(inputs.first { $0.contains("name=\"\(name)\"") })
    }

    @Test("after a failed try the user name is still there, and the cursor is in the password")
    func keepsUserName() throws {
        let html = pages.render(SignInPage(form: Samples.form, userName: "ana.ruiz", problem: .wrongPassword))

        let userName = try input("username", in: html)
        let password = try input("password", in: html)
        #expect(userName.contains(#"value="ana.ruiz" autocomplete="username""#))
        #expect(!userName.contains("autofocus"))
        #expect(password.contains(#"value="" autocomplete="current-password""#))
        #expect(password.contains("autofocus"))
        #expect(password.contains(#"aria-describedby="message""#))
        #expect(html.contains(#"<p class="message danger" id="message" role="alert">The user name or password is not"#))
    }

    @Test("a temporary password that has expired is called so, and is not called wrong")
    func explainsExpiry() throws {
        let html = pages.render(
            SignInPage(form: Samples.form, userName: "ana.ruiz", problem: .temporaryPasswordExpired))

        #expect(html.contains("This temporary password has expired."))
        #expect(try !input("password", in: html).contains("aria-invalid"))
    }

    @Test("a first sign-in page shows no error, and starts with the user name")
    func startsClean() throws {
        let html = pages.render(SignInPage(form: Samples.form))

        #expect(try input("username", in: html).contains("autofocus"))
        #expect(!html.contains("aria-invalid"))
        #expect(!html.contains("role=\"alert\""))
    }

    @Test("passcodes bring up the digits; passwords do not", arguments: PasswordRule.allCases)
    func offersDigits(policy: PasswordRule) throws {
        let html = pages.render(
            ChangePasswordPage(
                form: Samples.form, person: Samples.chen, account: Samples.managed, policy: policy,
                reason: .temporary(switchAccount: Samples.form)))

        let password = try input("new_password", in: html)
        #expect(password.contains("inputmode=\"numeric\"") == (policy != .standard))
        #expect(password.contains("autocomplete=\"new-password\""))
    }

    @Test("of several problems each is said at its field, and the first takes the cursor")
    func showsProblems() throws {
        let html = pages.render(
            FirstAdministratorPage(
                form: Samples.form, organization: Samples.organization, givenName: "Ana", userName: "ana ruiz",
                problems: [.password(.doesNotFit), .userNameNotAllowed, .familyNameMissing]
            )
        )

        #expect(try !input("given_name", in: html).contains("aria-invalid"))
        #expect(try input("family_name", in: html).contains(#"aria-describedby="family_name-problem""#))
        #expect(try input("username", in: html).contains(#"value="ana ruiz""#))
        #expect(html.count(of: "class=\"problem\"") == 3)
        #expect(html.count(of: " autofocus") == 1)
        #expect(try input("family_name", in: html).contains("autofocus"))
    }

    @Test("whoever opens an invitation is told of which organization they become an Administrator")
    func namesOrganization() {
        let html = pages.render(FirstAdministratorPage(form: Samples.form, organization: Samples.organization))

        #expect(html.contains("You become an Administrator of Maple District. This link works only once."))
    }

    @Test("the family name comes first where the language says it first", arguments: Language.allCases)
    func ordersNames(language: Language) throws {
        let html = pages.render(
            FirstAdministratorPage(form: Samples.form, organization: Samples.organization), in: language
        )

        let order = html.matches(of: /<input id="(given_name|family_name)"/).map { String($0.1) }
        #expect(order == (language == .english ? ["given_name", "family_name"] : ["family_name", "given_name"]))

        // If both are wrong, the first takes the cursor.
        let wrong = pages.render(
            FirstAdministratorPage(
                form: Samples.form, organization: Samples.organization,
                problems: [.givenNameMissing, .familyNameMissing]
            ), in: language)
        let focused = wrong.matches(of: /<input id="(\w+)"[^>]* autofocus>/).map { String($0.1) }
        #expect(focused == [order[0]])
    }

    @Test("a name that is missing is called so, without its limit; one that is too long is told it (pages 3.6)")
    func namesTheProblemWithNames() {
        func page(_ familyName: String) -> String {
            pages.render(
                SignUpPage(
                    form: Samples.form, givenName: "Ana", familyName: familyName, problems: [.familyNameMissing],
                    signInPath: "/"))
        }
        #expect(page(" ").contains(">Enter your family name.</p>"))
        #expect(page(String(repeating: "x", count: 2_000)).contains("Use at most 250 characters."))
    }

    @Test("a page that says what is wrong says so in its title (pages 3.15)", arguments: Language.allCases)
    func titlesProblems(_ language: Language) {
        let wrong: [any Page] = [
            SignInPage(form: Samples.form, userName: "ana", problem: .wrongPassword),
            SignUpPage(form: Samples.form, problems: [.givenNameMissing], signInPath: "/"),
            Samples.creation(
                Samples.nadia, .personal(name: Samples.editableName, email: Samples.email()),
                problems: [.emailChoiceMissing]),
        ]
        let word = [Language.english: "Error: ", .japanese: "エラー：", .korean: "오류: "][language] ?? ""
        for page in wrong { #expect(pages.render(page, in: language).contains("<title>\(word)")) }
        let right: [any Page] = [SignInPage(form: Samples.form), SignUpPage(form: Samples.form, signInPath: "/")]
        for page in right { #expect(!pages.render(page, in: language).contains("<title>\(word)")) }
    }

    @Test("the button that shows a password says of which field it is, and whether it is pressed (pages 3.15)")
    func namesShowButtons() {
        let html = pages.render(
            ChangePasswordPage(
                form: Samples.form, person: Samples.chen, account: Samples.managed, policy: .standard,
                reason: .chosen(cancelPath: "/")))
        #expect(html.contains(#"aria-pressed="false" aria-label="Show: Current password""#))
        #expect(html.contains(#"aria-pressed="false" aria-label="Show: New password""#))
    }

    @Test("whoever has to choose a password sees for whom, and can leave (pages 3.7)")
    func saysForWhomPasswordIs() {
        let html = pages.render(
            ChangePasswordPage(
                form: Samples.form, person: Samples.chen, account: Samples.managed, policy: .standard,
                reason: .temporary(switchAccount: Form(action: "/sign-out"))))
        #expect(html.contains("<bdi>Chen Wei</bdi></strong><span><bdi>chen.wei@maple.example</bdi></span>"))
        #expect(html.contains(#"<form method="post" action="/sign-out">"#))
        #expect(html.contains("Not you? Use another account"))
    }

    @Test("whoever signs in for an app sees its badge, also to connect it and for a device (pages 3.8)")
    func showsAppBadge() {
        let purposes: [SignInPage.Purpose] = [
            .connecting(Samples.app()), .signingIn(to: Samples.app()), .device(Samples.app()),
        ]
        for purpose in purposes {
            let html = pages.render(SignInPage(form: Samples.form, purpose: purpose))
            #expect(html.count(of: #"<i class="badge"#) == 1)
        }
        #expect(!pages.render(SignInPage(form: Samples.form)).contains(#"<i class="badge"#))
    }

    @Test(
        "where the way tells whose people sign in, the page shows it; whose account it will be, it does not guess (pages 3.1)"
    )
    func showsOrganization() {
        let known = pages.render(
            SignInPage(form: Samples.form, purpose: .signingIn(to: Samples.app()), organization: Samples.organization))
        #expect(known.contains("<bdi>Maple District</bdi></p>"))
        #expect(known.contains("Use the account that Maple District gave you."))
        #expect(known.contains(#"<svg class="strap owned "#))
        #expect(known.count(of: #"<i class="badge"#) == 2)
        let both = pages.render(
            SignInPage(form: Samples.form, organization: Samples.organization, takesPersonal: true))
        #expect(both.contains("Use your personal account, or the one that Maple District gave you."))
        #expect(both.contains(#"<svg class="strap" "#))
    }

    @Test("an error page gives the request id, and the developers’ paragraph only if there is one")
    func showsErrors() {
        let plain = pages.render(ErrorPage(.notFound, requestID: "R-17"))
        let detailed = pages.render(
            ErrorPage(.unregisteredReturnURL, requestID: "R-17", developerNote: "Not registered.")
        )

        #expect(plain.contains("<code>R-17</code>"))
        #expect(!plain.contains("For developers"))
        #expect(detailed.contains("For developers"))
        #expect(detailed.contains(#"<p lang="en" dir="ltr">Not registered.</p>"#))
    }
}
