import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@testable import TestServers

@Suite struct PersonalDetailsTests {
    @Test("the owner of a personal account edits the name")
    func name() async throws {
        try await TestServer.withMail { server in
            let browser = server.browser()
            _ = try await server.signUp(in: browser)
            let page = try await browser.get("/account/name")
            #expect(page.body.contains(#"value="Nora""#))
            let refused = try await browser.submit(
                page.form("/account/name"), ["given_name": "", "family_name": "<b>Berg"])
            #expect(refused.status == 422 && refused.body.contains("&lt;b&gt;Berg"))
            let done = try await browser.submit(
                page.form("/account/name"), ["given_name": "Nora", "family_name": "Berg"])
            let account = try await browser.follow(done)
            #expect(account.body.contains("Nora Berg") && account.body.contains("Your name is changed."))
        }
    }

    @Test("a new address needs the password, and the code that went there", arguments: TestDatabase.available)
    func email(_ kind: TestDatabase) async throws {
        try await TestServer.withMail(on: kind) { server in
            let browser = server.browser()
            _ = try await server.signUp(in: browser)
            let page = try await browser.get("/account/email")
            func change(_ email: String, _ password: String = District.password) async throws -> Answer {
                try await browser.submit(
                    page.form("/account/email"), ["email": email, "current_password": password])
            }
            let wrong = try await change("berg@home.example", "wrong")
            #expect(wrong.body.contains(try sentence("password.wrongCurrent")))
            #expect(try await change("nora@HOME.example").body.contains("This is your current address."))
            #expect(try await change("x@maple.example").body.contains("This address belongs to an organization"))
            #expect(try await change("berg").body.contains("Enter an email address"))
            #expect(try await server.mails().count == 1)  // of the sign-up

            let verify = try await browser.follow(change("berg@home.example"))
            #expect(try await server.mails().last?.recipient == "berg@home.example")
            #expect(try await browser.get("/account").body.contains("nora@home.example"))
            let done = try await browser.submit(verify.form("/verify-email/"), ["code": server.mailedCode()])
            let account = try await browser.follow(done)
            #expect(
                account.body.contains("berg@home.example") && account.body.contains("Your email address is changed."))
            #expect(try await server.mails().last?.recipient == "nora@home.example")
            #expect(try await server.signIn("berg@home.example", in: server.browser()).status == 303)
            #expect(try await server.signIn("nora@home.example", in: server.browser()).status == 422)
        }
    }

    @Test("a code for a new address waits until one is signed in again", arguments: TestDatabase.available)
    func emailAfterSession(_ kind: TestDatabase) async throws {
        try await TestServer.withMail(on: kind) { server in
            let browser = server.browser()
            let nora = try await server.signUp(in: browser)
            let page = try await browser.get("/account/email")
            let verify = try await browser.follow(
                browser.submit(
                    page.form("/account/email"),
                    ["email": "berg@home.example", "current_password": District.password]))
            let code = try await server.mailedCode()
            try await server.database.write {
                try $0.execute("DELETE FROM browser_session WHERE person_id = $1", [nora.id])
            }
            let answer = try await browser.submit(verify.form("/verify-email/"), ["code": code])
            let signIn = try await browser.follow(answer)
            let again = try await browser.follow(server.signIn(nora.userName, on: signIn, in: browser))
            #expect(again.path == verify.path)
            let done = try await browser.follow(browser.submit(again.form("/verify-email/"), ["code": code]))
            #expect(done.body.contains("Your email address is changed."))
        }
    }

    @Test(
        "a deleted account is gone, its apps are told, and its id is nobody else's", arguments: TestDatabase.available)
    func deletion(_ kind: TestDatabase) async throws {
        try await TestServer.withMail(on: kind, notificationURL: "http://127.0.0.1:1/notifications") { server in
            let (browser, elsewhere) = (server.browser(), server.browser())
            let nora = try await server.signUp(in: browser)
            try await server.signIn(nora.userName, in: elsewhere)
            let path = server.signInPath(server.quizzler)
            let page = try await server.open(path, as: nora, in: browser)
            let code = try await server.proceed(page, as: nora, ["email_choice": "hide"], in: browser).carried?["code"]
            let tokens = try TestServer.tokens(try await server.redeemSignIn(try #require(code)))
            let hidden = try #require(
                try await server.database.read { try HiddenAddress.list(of: nora.id, in: $0) }.first)

            let delete = try await browser.get("/account/delete")
            #expect(delete.body.contains("1 app that you use with it"))
            func submit(_ confirmation: String, _ password: String?) async throws -> Answer {
                var typed = ["confirmation": confirmation]
                typed["current_password"] = password
                return try await browser.submit(delete.form("/account/delete"), typed)
            }
            // Who sits at a borrowed browser can type what the page shows.
            for password in ["wrong", "", nil] {
                let wrong = try await submit("nora@home.example", password)
                #expect(try wrong.status == 422 && wrong.body.contains(sentence("password.wrongCurrent")))
            }
            for _ in 0..<10 {
                let wrong = try await submit("nora", District.password)
                #expect(wrong.status == 422 && wrong.body.contains("This is not the address of this account."))
            }
            #expect(try await browser.get("/account").status == 200)
            let done = try await submit(" NORA@home.example ", District.password)
            #expect(done.location == "/signed-out" && browser.cookies["__Host-lanyard-session"] == nil)

            #expect(try await elsewhere.get("/account").status == 303)
            #expect(try await server.signIn(nora.userName, in: server.browser()).status == 422)
            #expect(try await server.refreshSignIn(tokens.refresh).error == "invalid_grant")
            let told = try await server.database.read {
                try $0.all("SELECT claims FROM notification") { try $0[0] as String }
            }
            #expect(told.count == 1 && told[0].contains(#""type":"account-delete""#))
            let (record, address) = try await server.database.read {
                (try Person.find(nora.id, in: $0), try HiddenAddress.find(address: hidden.address, in: $0))
            }
            #expect(record?.email == nil && record?.givenName == "" && record?.familyName == "")
            #expect(address?.personID == nil && address?.forwards == false)
            for table in ["credential", "browser_session", "known_browser", "email_challenge", "team_member"] {
                let left = try await server.database.read {
                    try $0.exists("SELECT 1 FROM \(table) WHERE person_id = $1", [nora.id])
                }
                #expect(!left, "\(table)")
            }
            // Not even the operator brings it back.
            let now = server.fixed.now
            try await server.database.write { try record?.reactivate(at: now, in: $0) }
            let state = try await server.database.read { try Person.find(nora.id, in: $0)?.state }
            #expect(state == .deactivated)
            #expect(try await server.audit(of: .none).contains("account.deleted done"))

            let again = try await server.signUp(in: server.browser())
            #expect(again.id != nora.id && again.userName == nora.userName)
            let addresses = try await server.database.read { try HiddenAddress.list(of: again.id, in: $0) }
            #expect(addresses.isEmpty)
        }
    }
}
