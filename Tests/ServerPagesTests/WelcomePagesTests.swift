import Testing

@testable import ServerPages

/// Welcome, account creation, and the page of a blocked app.
@Suite struct WelcomePagesTests {
    let pages: Pages

    init() throws {
        pages = try Pages()
    }

    /// The tags of all inputs that a person can see.
    private func inputs(_ html: String) -> [String] {
        html.matches(of: /<input[^>]*>/).map { String($0.0) }.filter { !$0.contains(#"type="hidden""#) }
    }

    private func decisions(_ html: String) -> [String] {
        html.matches(of: /<button[^>]*name="decision" value="(\w+)"/).map { String($0.1) }
    }

    private let mapleOwns =
        "This account belongs to Maple District. Maple District decides which apps you can use with it."

    @Test("a managed account is welcomed at Work & School, and told to whom it belongs")
    func welcomesManaged() {
        let html = pages.render(
            Samples.welcome(
                Samples.managed, Samples.chen,
                SharedWithApp(name: "Chen Wei", email: .own("chen.wei@maple.example"))))

        #expect(html.contains("Lanyard at Work &amp; School</p>"))
        #expect(html.contains(mapleOwns))
        #expect(html.contains("<bdi>chen.wei@maple.example</bdi></dd>"))
        #expect(html.contains(#"<svg class="strap owned tone-\#(Samples.organization.tone.number)""#))
        #expect(inputs(html) == [])
        #expect(decisions(html) == ["continue", "deny"])
    }

    @Test("a personal account is welcomed as one, and no organization is named")
    func welcomesPersonal() {
        let html = pages.render(
            Samples.welcome(.personal, Samples.nadia, SharedWithApp(name: nil, email: .hidden(Samples.hidden))))

        #expect(html.contains("<span>Personal account</span>"))
        #expect(!html.contains("Work &amp; School"))
        #expect(!html.contains("belongs to"))
        #expect(html.contains(#"<svg class="strap" "#))
        #expect(html.contains("<dt>Hidden email</dt><dd><bdi>\(Samples.hidden)</bdi></dd>"))
        #expect(!html.contains("<dt>Name</dt>"))
    }

    @Test("an app that asks for nothing is said to get nothing", arguments: [AccountKind.personal, Samples.managed])
    func saysNothing(account: AccountKind) {
        let html = pages.render(Samples.welcome(account, Samples.nadia, SharedWithApp(name: nil, email: nil)))

        #expect(html.contains("Slack only gets a code by which it knows you again. No name, no email address."))
        #expect(!html.contains("<dt>"))
    }

    @Test("a pupil without an email address sees the name alone, with no empty row")
    func leavesOutMissingEmail() {
        let subject = AccountCreationPage.Subject.managed(
            organization: Samples.organization, shared: SharedWithApp(name: "Fatima Silva", email: nil))
        let html = pages.render(Samples.creation(Samples.fatima, subject))

        #expect(html.count(of: "<dt>") == 1)
        #expect(html.contains("<dt>Name</dt><dd><bdi>Fatima Silva</bdi></dd>"))
        #expect(!html.contains("mail</dt>"))
    }

    @Test("of a managed account nothing can be edited, hidden or chosen")
    func editsNothingManaged() {
        let subject = AccountCreationPage.Subject.managed(
            organization: Samples.organization,
            shared: SharedWithApp(name: "Chen Wei", email: .own("chen.wei@maple.example")))
        let html = pages.render(Samples.creation(Samples.chen, subject))

        #expect(inputs(html) == [])
        #expect(!html.contains("email_choice"))
        #expect(!html.contains("Hide my email"))
        #expect(html.contains(mapleOwns))
        #expect(html.contains("<bdi>chen.wei@maple.example</bdi></dd>"))
        #expect(decisions(html) == ["continue", "deny"])
    }

    @Test("of a personal account the name is filled in, and whether to share the address is not chosen yet")
    func asksPersonal() throws {
        let html = pages.render(
            Samples.creation(Samples.nadia, .personal(name: Samples.editableName, email: Samples.email())))

        let fields = inputs(html)
        #expect(fields.count == 4)
        #expect(try #require(fields.first { $0.contains(#"name="given_name""#) }).contains(#"value="Nadia""#))
        #expect(try #require(fields.first { $0.contains(#"name="family_name""#) }).contains(#"value="Silva""#))
        let choices = fields.filter { $0.contains(#"name="email_choice""#) }
        #expect(choices.map { $0.contains(#"value="share""#) } == [true, false])
        #expect(choices.allSatisfy { $0.contains(#"type="radio""#) && $0.contains(" required") })
        #expect(choices.allSatisfy { !$0.contains(" checked") })
        #expect(html.contains("<bdi>nadia@mail.example</bdi>"))
    }

    @Test("Cancel goes through even if nothing is filled in, and Enter in a field continues")
    func cancelsUnfinished() throws {
        let html = pages.render(
            Samples.creation(Samples.nadia, .personal(name: Samples.editableName, email: Samples.email())))

        let cancel = try #require(html.firstMatch(of: /<button[^>]*value="deny"[^>]*>/)).0
        #expect(cancel.contains(" formnovalidate"))
        // The first submit button of a form is its default button.
        #expect(decisions(html) == ["continue", "deny"])
    }

    @Test("what was chosen and typed before an error is still there")
    func keepsChoice() throws {
        let name = AccountCreationPage.EditableName(givenName: "", familyName: "Silva-Okafor")
        let html = pages.render(
            Samples.creation(
                Samples.nadia, .personal(name: name, email: Samples.email(chosen: .hide)),
                problems: [.givenNameMissing]))

        #expect(html.contains("Silva-Okafor"))
        let checked = inputs(html).filter { $0.contains(" checked") }
        #expect(checked.count == 1)
        #expect(checked.first?.contains(#"value="hide""#) == true)
        let focused = inputs(html).filter { $0.contains(" autofocus") }
        #expect(focused.count == 1)
        #expect(focused.first?.contains(#"name="given_name""#) == true)
        #expect(html.contains("Enter your given name"))
    }

    @Test("a choice that was not made is asked for, and takes the cursor if nothing else is wrong")
    func asksForChoice() {
        let alone = pages.render(
            Samples.creation(
                Samples.nadia, .personal(name: nil, email: Samples.email()), problems: [.emailChoiceMissing]))
        let second = pages.render(
            Samples.creation(
                Samples.nadia, .personal(name: Samples.editableName, email: Samples.email()),
                problems: [.familyNameMissing, .emailChoiceMissing]))

        #expect(alone.contains(#"id="email_choice-problem">Choose one of the two.</p>"#))
        #expect(alone.contains(#"<fieldset class="choices" aria-describedby="email_choice-problem">"#))
        #expect(inputs(alone).count == 2)
        #expect(alone.count(of: " autofocus") == 1)
        #expect(second.count(of: " autofocus") == 1)
    }

    @Test("where no address can be hidden, no choice is offered, and the address is said to go along")
    func sharesWithoutRelay() {
        let html = pages.render(
            Samples.creation(Samples.nadia, .personal(name: nil, email: Samples.email(canHide: false))))

        #expect(!html.contains("Hide my email"))
        #expect(html.contains(#"<input type="hidden" name="email_choice" value="share">"#))
        #expect(html.contains("<dt>Email</dt><dd><bdi>nadia@mail.example</bdi></dd>"))
    }

    @Test("a blocked app’s page names organization and app, and whom to ask with the way to ask")
    func explainsBlocked() {
        let html = pages.render(Samples.blocked())

        #expect(html.contains("<h1>Maple District does not allow Slack with this account</h1>"))
        #expect(html.contains(#"<a class="link" href="mailto:ana.ruiz@maple.example">"#))
        #expect(html.contains("<bdi>Priya Raman</bdi></strong><span>Site Manager</span>"))
        #expect(html.count(of: "mailto:") == 1)
        #expect(html.contains("Back to Slack"))
        #expect(html.contains("Use another account"))
    }

    @Test("without anybody to name, the page still says whom to ask; without a way back it offers none")
    func explainsBlockedWithoutContacts() {
        let html = pages.render(Samples.blocked(contacts: [], back: nil))

        #expect(html.contains("Ask whoever looks after the accounts at Maple District."))
        #expect(!html.contains("Back to Slack"))
        #expect(!html.contains("mailto:"))
    }

    @Test("an address cannot add anything to the mail that a link opens")
    func encodesMailAddress() {
        let contact = Contact(
            name: "Ana", email: "a?bcc=x@evil.example&body=y%0A\"\u{301}", role: .administrator)
        let html = pages.render(Samples.blocked(contacts: [contact]))

        #expect(html.contains(#"href="mailto:a%3Fbcc%3Dx@evil.example%26body%3Dy%250A%22%CC%81""#))
    }
}
