import Ground
import Testing

@testable import ServerPages

/// What a page takes over when it is shown again.
@Suite struct CarriedTests {
    private func render(_ page: some Page, in language: Language = .english, _ carried: Carried) throws -> String {
        try Pages().render(page, in: language, for: Visit(currentPath: "/", csrfToken: "x", carried: carried))
    }

    @Test("in another language, the page still has what was typed, and says what was wrong")
    func otherLanguage() throws {
        let page = SignUpPage(
            form: Samples.form, givenName: "Ana", familyName: "Ruiz", email: "ana", problems: [.emailMissing],
            signInPath: "/")
        let carried = page.view.carried
        #expect(
            carried.fields.map(\.name) == ["typed.email", "typed.family_name", "typed.given_name", "problem.email"])
        #expect(Carried(carried.fields) == carried)

        let html = try render(SignUpPage(form: Samples.form, signInPath: "/"), in: .japanese, carried)
        #expect(html.contains(#"value="Ana""#) && html.contains(#"value="ana""#))
        #expect(html.contains("メールアドレスを入力してください。"))
        #expect(html.contains(#"aria-describedby="email-problem""#))
        #expect(html.contains("<title>エラー："))
    }

    @Test("a message with a number in it comes along; passwords and codes never do")
    func numbers() throws {
        let page = SignInPage(form: Samples.form, userName: "ana", problem: .tooManyAttempts(minutes: 5))
        #expect(
            FormEncoding.encode(page.view.carried.fields)
                == "typed.username=ana&problem.=form.tooManyAttempts&count..minutes=5")
        let html = try render(SignInPage(form: Samples.form), page.view.carried)
        #expect(html.contains("Wait 5 minutes, then try again."))
        let forged = Carried([
            FormField("typed.password", "x"), FormField("typed.code", "1"), FormField("problem.", "no.such"),
            FormField("count..a", "b"),
        ])
        #expect(forged.typed.isEmpty)
        let unchanged = try render(SignInPage(form: Samples.form), forged)
        #expect(!unchanged.contains("no.such") && !unchanged.contains(#"role="alert""#))
    }

    @Test("what is carried is text, whatever it holds")
    func markup() throws {
        let html = try render(SignInPage(form: Samples.form), Carried([FormField("typed.username", "\"><b>")]))
        #expect(html.contains(#"value="&quot;&gt;&lt;b&gt;""#))
    }
}
