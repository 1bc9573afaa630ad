import Authorization
import Directory
import Fixtures
import Testing

@testable import TestServers

/// The name of an app is what its maker likes: the pages say whose it is, and where one goes from there.
@Suite struct MakerTests {
    @Test(
        "sign-in, the first account, the page after it and the approval of a device name the team and the way on"
    )
    func pages() async throws {
        try await TestServer.with { server in
            let client = try await StandardClient.secret(on: server)
            let (browser, nadia) = (server.browser(), server.maple.nadia)
            let maker = "Quizzler Inc. makes Quizzler."
            func expect(_ page: Answer, _ place: String? = "com.quizzler.example") {
                let text = place.map { "\(maker) From here you go back to \($0)." } ?? maker
                #expect(page.body.contains(text), "\(page.path)")
            }
            let path = client.path(["prompt": "select_account"])
            let signIn = try await browser.follow(browser.get(path))
            expect(signIn)
            let creation = try await browser.follow(server.signIn(nadia.userName, on: signIn, in: browser))
            expect(creation)
            _ = try await server.proceed(creation, as: nadia, in: browser)
            expect(try await browser.follow(browser.get(path)))

            let device = try await client.startDevice(scope: "openid")
            let approval = try await client.openDevice(device.userCode, as: nadia, in: browser)
            #expect(approval.body.contains(device.userCode))
            expect(approval, nil)

            let native = "http://127.0.0.1/callback"
            try await server.put(returnURLs: [try ReturnURL(native: native)])
            let page = try await browser.follow(
                browser.get(client.path(["prompt": "select_account", "redirect_uri": native])))
            expect(page, "a program on this device")
        }
    }
}
