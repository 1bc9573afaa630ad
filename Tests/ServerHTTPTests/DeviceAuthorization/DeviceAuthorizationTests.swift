import Authorization
import Directory
import Fixtures
import Foundation
import Testing
import TestSupport

@testable import TestServers

/// Devices without a browser. RFC 8628.
@Suite struct DeviceTests {
    @Test(
        "a device waits, the person enters its code and continues, and it gets tokens once",
        arguments: TestDatabase.available)
    func whole(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let client = try await StandardClient.public(on: server)
            for person in try await server.kinds().all {
                let device = try await client.startDevice(scope: "openid profile email offline_access")
                let base = TestServer.baseURL
                #expect(device.userCode.wholeMatch(of: #/[B-Z]{4}-[B-Z]{4}/#) != nil)
                #expect(
                    canonical(device.answer.json)
                        == canonical(
                            [
                                "device_code": device.deviceCode, "user_code": device.userCode,
                                "verification_uri": "\(base)/device",
                                "verification_uri_complete": "\(base)/device?user_code=\(device.userCode)",
                                "expires_in": 900, "interval": 5,
                            ] as [String: Any]))
                #expect(try await client.poll(device).error == "authorization_pending")
                // Too early, twice: each time it has to wait longer.
                #expect(try await client.poll(device).error == "slow_down")
                server.fixed.advance(by: 9)
                #expect(try await client.poll(device).error == "slow_down")
                server.fixed.advance(by: 15)
                #expect(try await client.poll(device).error == "authorization_pending")
                let done = try await client.approve(device, as: person)
                #expect(done.heading == "Your device is signed in")
                server.fixed.advance(by: 15)
                let answer = try await client.poll(device)
                #expect(answer.status == 200)
                let tokens = try TestServer.tokens(answer)
                #expect(!tokens.refresh.isEmpty)
                #expect(
                    try await client.userInfo(tokens.access).json["name"] as? String
                        == "\(person.givenName) \(person.familyName)")
                #expect(try await client.poll(device).error == "invalid_grant")
                #expect(try await client.refresh(tokens.refresh).status == 200)
            }
        }
    }

    @Test("a code is typed as people type: in lower case, with spaces; the address fills it in and enters nothing")
    func typing() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.public(on: server)
            let device = try await client.startDevice()
            let letters = device.userCode.replacingOccurrences(of: "-", with: "")
            for typed in [
                letters, letters.lowercased(), " \(device.userCode) ", "\(letters.prefix(3)) \(letters.dropFirst(3))",
            ] {
                let page = try await client.openDevice(typed, as: server.maple.ben, in: server.browser())
                #expect(page.heading == "Sign in to Quizzler on your device", "\(typed)")
                #expect(page.body.contains(device.userCode))
            }
            let filled = try await server.browser().get("/device?user_code=\(device.userCode)")
            #expect(filled.status == 200)
            #expect(filled.body.contains(device.userCode))
            #expect(try await server.count("parked_request") == 4)
            for wrong in ["", "BBBB-BBBB", "x", "\(letters)B", "<script>", "ＢＢＢＢ-ＢＢＢＢ"] {
                let browser = server.browser()
                let answer = try await browser.submit(
                    browser.get("/device").form("/device"), ["user_code": wrong])
                #expect(answer.status == 422, "\(wrong)")
                #expect(!answer.body.contains("<script>"))
            }
        }
    }

    @Test("a device hears of Cancel and of the end of its time; a code that was decided on is not taken again")
    func ends() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.public(on: server)
            let nadia = server.maple.nadia
            let denied = try await client.startDevice()
            let page = try await client.approve(denied, as: nadia, decision: "deny")
            #expect(page.heading == "Your device is not signed in")
            #expect(page.form("/language")?.fields["return_to"] == page.path)
            #expect(try await client.poll(denied).line.hasPrefix(#"400 {"error":"access_denied""#))

            let late = try await client.startDevice()
            let browser = server.browser()
            let open = try await client.openDevice(late.userCode, as: nadia, in: browser)
            server.fixed.advance(by: 900)
            // Another device that starts in the meantime does not remove the expired request.
            _ = try await client.startDevice()
            #expect(try await client.poll(late).error == "expired_token")
            #expect(try await server.proceed(open, as: nadia, in: browser).heading == "This page has expired")
            #expect(try await server.count("sign_in_consent") == 0)
            let entered = try await browser.submit(
                browser.get("/device").form("/device"), ["user_code": late.userCode])
            #expect(entered.status == 422)

            let used = try await client.startDevice()
            let decided = server.browser()
            let approval = try await client.openDevice(used.userCode, as: nadia, in: decided)
            // Also when it is shown again, as after a change of language, or sent twice.
            for _ in 0..<2 {
                let done = try await server.proceed(approval, as: nadia, in: decided)
                #expect(done.heading == "Your device is signed in")
                #expect(try await decided.get(approval.path).heading == done.heading)
            }
            let again = server.browser()
            #expect(
                try await again.submit(again.get("/device").form("/device"), ["user_code": used.userCode]).status == 422
            )
            #expect(try await client.poll(used).status == 200)
        }
    }

    @Test("what a device may not ask for, and whose code it is")
    func refused() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.public(on: server)
            #expect(try await client.call("device_authorization", ["scope": "email"]).error == "invalid_scope")
            #expect(try await client.call("device_authorization", [:]).error == "invalid_scope")
            let stranger = try await client.call(
                "device_authorization", ["scope": "openid", "client_id": "com.unknown"])
            #expect(stranger.line.hasPrefix(#"401 {"error":"invalid_client""#))
            let device = try await client.startDevice()
            try await client.approve(device, as: server.maple.nadia)
            try await server.makePublic("org.rival")
            let rival = StandardClient(server: server, app: server.rival, secret: nil)
            #expect(try await rival.poll(device).error == "invalid_grant")
            for code in ["", "x"] {
                let answer = try await client.call(
                    "token", ["grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": code])
                #expect(["invalid_request", "invalid_grant"].contains(answer.error))
            }
            // An organization that has taken the app off its list in between.
            try await server.changeSignIn(.mode(.allowOnlyListedApps))
            #expect(try await client.poll(device).error == "invalid_grant")
        }
    }

    @Test("a person of an organization that keeps the app out sees so, and the device gets nothing")
    func blocked() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.public(on: server)
            try await server.changeSignIn(.mode(.allowOnlyListedApps))
            let device = try await client.startDevice()
            let browser = server.browser()
            let page = try await client.openDevice(device.userCode, as: server.maple.nadia, in: browser)
            #expect(page.status == 403)
            #expect(try await client.poll(device).error == "authorization_pending")
            #expect(
                try await browser.submit(page.form("/continue/", with: "decision")).heading
                    == "Your device is not signed in")
        }
    }
}
