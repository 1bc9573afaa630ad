import Foundation
import Testing

@testable import ServerPages

/// What whoever decides for an organization sees of the apps that read about it.
@Suite struct ConnectedAppsPageTests {
    let pages: Pages

    init() throws {
        pages = try Pages()
    }

    @Test("whoever decides sees each connected app, who let it in, when it read, and how to end it")
    func listsApps() {
        let html = pages.render(Samples.administratorAccount())

        #expect(html.contains(#"<h2 id="connected">Apps connected to Maple District</h2>"#))
        #expect(html.contains("<bdi>Quizzler</bdi></strong><span>Reads people and classes</span>"))
        #expect(html.contains("<dt>Made by</dt><dd><bdi>Bright Lamp Learning</bdi></dd>"))
        #expect(html.contains("<dt>Allowed by</dt><dd><bdi>Ana Ruiz</bdi></dd>"))
        #expect(html.contains("<dt>Since</dt><dd>21 June 2026</dd>"))
        #expect(html.contains("<dt>Last read</dt><dd>2 hours ago</dd>"))
        #expect(html.contains("<dt>Last read</dt><dd>Not yet</dd>"))
        #expect(html.contains("Reads nothing at present: Maple District does not allow it"))
        #expect(html.contains(#"href="/account/connected-apps/1/stop">Stop sharing with Quizzler</a>"#))
    }

    @Test("without connected apps the page says how one gets there; whoever does not decide sees nothing")
    func saysHowToBegin() {
        #expect(pages.render(Samples.administratorAccount(connected: [])).contains("and you decide."))
        #expect(!pages.render(Samples.managedAccount(apps: [])).contains("connected"))
    }

    @Test("before sharing ends, its page says for whom and what, and what stays")
    func namesConsequences() {
        let both = pages.render(Samples.stopSharing())
        #expect(both.contains("<h1>Stop sharing with Quizzler?</h1>"))
        #expect(both.contains("cannot read about 2,104 people and 312 classes of Maple District."))
        #expect(both.contains("Quizzler is told at once."))
        #expect(both.contains("Ask Bright Lamp Learning to have it deleted."))
        #expect(both.contains(#"href="/account">Keep sharing</a>"#))
        let users = pages.render(Samples.stopSharing(scopes: [.users], isTold: false))
        #expect(users.contains("cannot read about 2,104 people of Maple District."))
        #expect(users.contains("Quizzler is not told."))
        #expect(pages.render(Samples.stopSharing(scopes: [.classes])).contains("read about 312 classes of"))
    }

    @Test("a consent that ends says when, and leads to its renewal, which says until when and of what")
    func renewal() {
        let account = pages.render(Samples.administratorAccount())
        #expect(account.count(of: "<dt>Ends on</dt>") == 1)
        #expect(
            account.contains("<dt>Ends on</dt><dd>\(Language.english.day(Samples.now.addingTimeInterval(2_600_000)))"))
        #expect(account.contains(#"href="/account/connected-apps/1/renew">Renew sharing with Quizzler</a>"#))
        #expect(!account.contains("/account/connected-apps/2/renew"))
        let both = pages.render(Samples.renewSharing())
        #expect(both.contains("<h1>Renew sharing with Quizzler?</h1>"))
        #expect(both.contains("goes on reading about 2,104 people and 312 classes of Maple District."))
        #expect(both.contains("Renewed, it lasts until"))
        #expect(both.contains(#"href="/account">Not now</a>"#))
        #expect(pages.render(Samples.renewSharing(scopes: [.users])).contains("about 2,104 people of Maple"))
        #expect(pages.render(Samples.renewSharing(scopes: [.classes])).contains("about 312 classes of Maple"))
    }

    @Test("the page that asks for consent says until when it lasts", arguments: Language.allCases)
    func lastDay(_ language: Language) {
        let (former, next) = (Samples.now.addingTimeInterval(2_600_000), Samples.now.addingTimeInterval(34_136_000))
        let html = pages.render(Samples.consent(formerLastDay: former, lastDay: next), in: language)
        #expect(html.contains(language.day(former)) && html.contains(language.day(next)))
        let endless = pages.render(Samples.consent(), in: language)
        #expect(!endless.contains(language.day(former)) && !endless.contains(language.day(next)))
    }

    @Test("a consent says where it can be ended", arguments: Language.allCases)
    func tellsWhereItEnds(_ language: Language) {
        let html = pages.render(Samples.consent(), in: language)
        let place = [Language.english: "account page", .japanese: "アカウントのページ", .korean: "내 계정 페이지"]
        #expect(html.contains(place[language] ?? ""))
    }

    @Test("nothing is promised that only whoever runs the server can do")
    func promisesWhatIsTrue() {
        let pagesOfPromises: [any Page] = [
            SignInPage(form: Samples.form), ForgotPasswordPage(form: Samples.form, signInPath: "/"), Samples.blocked(),
            NotSharedPage(
                app: Samples.app(), organization: Samples.organization, reason: .appNotListed, back: Samples.form),
        ]
        for page in pagesOfPromises {
            let html = pages.render(page)
            for promise in ["can give you a new one", "They can allow", "can have", "School Manager"] {
                #expect(!html.contains(promise), "\(promise)")
            }
        }
    }

    @Test("a new Administrator is told what comes next")
    func leadsOn() {
        let html = pages.render(
            NextStepsPage(organization: Samples.organization, userName: "ana.ruiz", consolePath: "/manager"))
        #expect(html.contains("<h1>Maple District is set up</h1>"))
        #expect(html.count(of: "<li><h2>") == 3)
        #expect(html.contains(#"href="/manager">Go to the console</a>"#))
    }
}
