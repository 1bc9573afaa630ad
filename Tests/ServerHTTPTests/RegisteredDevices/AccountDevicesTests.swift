import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@testable import TestServers

@Suite struct AccountDevicesTests {
    @Test func `a device is added with the password, and its code is shown once`() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            try await server.signIn("nadia@maple.example", in: browser)
            let account = try await browser.get("/account")
            #expect(account.body.contains("None yet. A device that you add signs you in by itself"))
            #expect(account.link("Add a device") == "/account/devices/add")
            let form = try await browser.get("/account/devices/add").form("/account/devices/add")
            let wrong = try await browser.submit(form, ["current_password": "oak leaf 7"])
            #expect(try wrong.status == 422 && wrong.body.contains(sentence("password.wrongCurrent")))
            #expect(try await server.count("device_registration_code") == 0)
            let right = try await browser.submit(form, ["current_password": District.password])
            #expect(right.status == 200 && right.heading == "Enter this code on the device")
            #expect(right["Cache-Control"] == "no-store")
            let code = try #require(right.body.firstMatch(of: #/<code id="code">([A-Z-]{14})<\/code>/#)?.1)
            #expect(right.body.contains(#"<code id="command">lanyard-sso pair</code>"#))
            #expect(try await server.register(TestDevice(), code: String(code)).status == 201)
            let page = try await browser.get("/account")
            #expect(page.body.contains("Nadia&#39;s laptop") && page.body.contains("not used yet"))
        }
    }

    @Test func `a borrowed browser has five guesses at the password`() async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            try await server.signIn("nadia@maple.example", in: browser)
            let form = try await browser.get("/account/devices/add").form("/account/devices/add")
            let statuses = await concurrently(0..<12) { _ in
                (try? await browser.submit(form, ["current_password": "wrong"]).status) ?? 0
            }
            #expect(statuses.filter { $0 == 422 }.count == 5 && statuses.filter { $0 == 429 }.count == 7)
            #expect(try await browser.submit(form, ["current_password": District.password]).status == 429)
        }
    }

    @Test func `with ten devices the page says to remove one first`() async throws {
        try await TestServer.with { server in
            for _ in 0..<10 { _ = try await server.addDevice(for: server.maple.nadia) }
            let browser = server.browser()
            try await server.signIn("nadia@maple.example", in: browser)
            let page = try await browser.get("/account/devices/add")
            #expect(page.body.contains("You have 10 devices already. Remove one first."))
            let sent = try await browser.submit(
                page.form("/account/devices/add"), ["current_password": District.password])
            #expect(sent.status == 422 && sent.body.contains("You have 10 devices already."))
        }
    }

    @Test func `a personal account has no such pages, and nobody removes another's device`() async throws {
        try await TestServer.withMail { server in
            let (_, id) = try await server.addDevice(for: server.maple.nadia)
            let (stranger, personal) = (server.browser(), server.browser())
            try await server.signIn("ben@maple.example", in: stranger)
            _ = try await server.signUp(in: personal)
            let account = try await personal.get("/account")
            #expect(!account.body.contains("Devices that sign you in"))
            #expect(try await personal.get("/account/devices/add").status == 404)
            for browser in [stranger, personal] {
                let token = try await browser.get("/account").form("/language")?.fields["csrf_token"] ?? ""
                try await browser.post("/account/devices/\(id)/remove", ["csrf_token": token])
                let add = try await browser.post("/account/devices/add", ["csrf_token": ""])
                #expect(add.status == 400)
                let remove = try await browser.post("/account/devices/\(id)/remove", ["csrf_token": "x"])
                #expect(remove.status == 400)
            }
            let token = try await personal.get("/account").form("/language")?.fields["csrf_token"] ?? ""
            let fields = ["csrf_token": token, "current_password": District.password]
            #expect(try await personal.post("/account/devices/add", fields).status == 404)
            #expect(try await server.count("registered_device") == 1)
        }
    }

    @Test func `a session that a device began bears its name`() async throws {
        try await TestServer.with { server in
            let (device, id) = try await server.addDevice(for: server.maple.nadia)
            let browser = server.browser()
            _ = try await server.enter(try server.assertion(device, id), in: browser)
            let page = try await browser.get("/account")
            #expect(page.body.contains(#"<strong id="session-1">Nadia&#39;s laptop</strong>"#))
        }
    }
}
