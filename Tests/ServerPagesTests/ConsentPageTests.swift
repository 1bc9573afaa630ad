import Testing

@testable import ServerPages

@Suite struct ConsentPageTests {
    let pages: Pages

    init() throws {
        pages = try Pages()
    }

    @Test("it names the app, its team, the organization, the person and the way back")
    func namesEverybody() {
        let html = pages.render(Samples.consent())

        #expect(html.contains("<h1>Connect Quizzler to Maple District</h1>"))
        #expect(html.contains("Bright Lamp Learning makes Quizzler."))
        #expect(html.contains("<bdi>Ana Ruiz</bdi>"))
        #expect(html.contains("<span>Administrator</span>"))
        #expect(html.contains("Either way, you go back to quizzler.example."))
    }

    @Test("Enter alone does not allow: Don’t Allow is the first submit button, and nothing takes the focus")
    func needsDeliberateAllow() throws {
        let html = pages.render(Samples.consent())

        let form = try #require(html.firstMatch(of: /<form class="decision"[\s\S]*?<\/form>/)).0
        let values = form.matches(of: /<button[^>]*name="decision" value="(\w+)"/).map { String($0.1) }
        #expect(values == ["deny", "allow"])
        #expect(form.matches(of: /<input/).count == form.matches(of: /<input type="hidden"/).count)
        #expect(!html.contains("autofocus"))
    }

    @Test("by keyboard one comes to nothing that allows before Don’t Allow")
    func ordersButtons() {
        let html = pages.render(Samples.consent())

        let content = html.prefix(upTo: html.firstRange(of: "</main>")?.lowerBound ?? html.endIndex)
        let buttons = content.matches(of: /<(?:button|a href)[^>]*>(.*?)</).map { String($0.1) }
        #expect(buttons == ["Not you? Use another account", "Don’t Allow", "Allow"])
    }

    @Test("whoever may not connect the app is told who may")
    func namesWhoMay() {
        let html = pages.render(Samples.notAllowed())

        #expect(html.contains("Whom to ask"))
        #expect(html.contains("<bdi>Ana Ruiz</bdi></strong><span>Administrator</span>"))
        #expect(html.contains(#"href="mailto:ana.ruiz@maple.example""#))
        #expect(html.contains("They can decide whether to connect Quizzler."))
        #expect(!pages.render(Samples.notAllowed(contacts: [])).contains("Whom to ask"))
    }

    @Test("it explains the scopes that are asked for, and no others")
    func explainsScopes() {
        let users = pages.render(Samples.consent(scopes: [.init(.users, count: 5)]))
        let classes = pages.render(Samples.consent(scopes: [.init(.classes, count: 5)]))

        #expect(users.contains("<h3>People</h3>") && !users.contains("<h3>Classes</h3>"))
        #expect(classes.contains("<h3>Classes</h3>") && !classes.contains("<h3>People</h3>"))
        #expect(classes.contains("Not shared: names of people."))
    }

    @Test("a first consent says nothing of an earlier one")
    func isFirst() {
        let html = pages.render(Samples.consent(existing: nil))

        #expect(!html.contains("connected already"))
    }

    @Test("a consent to the same scopes, in any order, is a renewal")
    func renews() {
        let html = pages.render(Samples.consent(existing: [.classes, .users]))

        #expect(html.contains("it can read the same as before"))
        #expect(!html.contains("class=\"change\""))
    }

    @Test("a consent to other scopes shows them before and after")
    func changes() throws {
        let html = pages.render(Samples.consent(existing: [.classes]))

        let rows = html.matches(of: /<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/)
            .map { row in [String(row.1)] + row.2.matches(of: /<span class="chip">(.*?)<\/span>/).map { String($0.1) } }
        #expect(rows == [["Until now", "Classes"], ["From now on", "People", "Classes"]])
    }

    @Test("for the test school it says that no real person’s data is shared")
    func explainsTestSchool() {
        let html = pages.render(Samples.testSchoolConsent)

        #expect(html.contains("No real person’s data is shared."))
        #expect(html.contains("<span>Developer</span>"))
        #expect(!html.contains("Maple District"))
        #expect(!html.contains("Site Manager"))
    }

    @Test("whoever may not connect the app is told why, as whom, and what to send to whom")
    func explainsRefusal() {
        let html = pages.render(Samples.notAllowed())

        #expect(html.contains("<h1>Only an Administrator or Site Manager can connect Quizzler</h1>"))
        #expect(html.contains("You are signed in as Ana Ruiz (Instructor)."))
        #expect(html.contains("Send this link to an Administrator or Site Manager of Maple District"))
        #expect(html.contains(#"value="https://quizzler.example" readonly"#))
    }

    @Test("a personal account is told of no organization, and an account without a role is no developer")
    func explainsRefusalOutsideOrganizations() {
        let personal = pages.render(Samples.notAllowed(role: .personal, account: .personal, contacts: []))
        let withoutRole = pages.render(Samples.notAllowed(role: .withoutRole))

        #expect(personal.contains("Send this link to an Administrator or Site Manager of the school"))
        #expect(withoutRole.contains("You are signed in as Ana Ruiz (No role)."))
    }

    @Test("an organization that is no school is not said to have a list")
    func explainsThatOnlySchoolsShare() {
        func page(_ reason: NotSharedPage.Reason) -> String {
            pages.render(
                NotSharedPage(
                    app: Samples.app(), organization: Samples.organization, reason: reason, back: Samples.form))
        }
        #expect(
            page(.appNotListed).contains(
                "To add Quizzler to the list for Organizational Data Sharing, open Access Management"))
        #expect(page(.organizationIsNoSchool).contains("Only schools share rosters"))
        #expect(!page(.organizationIsNoSchool).contains("list"))
    }
}
