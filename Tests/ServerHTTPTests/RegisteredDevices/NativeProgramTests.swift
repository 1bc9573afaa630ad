import Authorization
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@testable import TestServers

/// Programs of the device itself, in a session that the device began (RFC 8252 §8.6).
@Suite struct NativeProgramTests {
    private static let addresses = ["http://127.0.0.1:6666/cb", "com.quizzler.app:/cb"]

    /// A server whose app has addresses on the device, and a browser that nadia's device signed in; she has let the app
    /// know her before.
    private func withDevice(
        on kind: TestDatabase, isPublic: Bool, _ body: @Sendable (TestServer, Browser) async throws -> Void
    ) async throws {
        try await TestServer.with(on: kind) { server in
            try await server.put(returnURLs: [
                try ReturnURL(native: "http://127.0.0.1/cb"), try ReturnURL(native: Self.addresses[1]),
                try ReturnURL(server.quizzler.redirectURI, allowingLoopback: false),
            ])
            _ = try await server.standardCode(as: server.maple.nadia, scope: "openid profile", Self.proof)
            if isPublic { try await server.makePublic() }
            let (device, id) = try await server.addDevice(for: server.maple.nadia)
            let browser = server.browser()
            #expect(try await server.enter(server.assertion(device, id), in: browser).status == 204)
            try await body(server, browser)
        }
    }

    private static let proof = ["code_challenge": Proof.challenge, "code_challenge_method": "S256"]

    @Test(
        "no code leaves unseen for an address on the device; with Continue it does",
        arguments: TestDatabase.available)
    func isShown(_ kind: TestDatabase) async throws {
        for isPublic in [true, false] {
            try await withDevice(on: kind, isPublic: isPublic) { server, browser in
                for address in Self.addresses {
                    let path = server.standardPath(
                        server.quizzler, scope: "openid profile offline_access",
                        ["redirect_uri": address].merging(Self.proof) { $1 })
                    for _ in 0..<2 {
                        let page = try await browser.follow(browser.get(path))
                        #expect(page.status == 200 && page.carried == nil)
                        #expect(page.form("/continue/") != nil)
                        let answer = try await server.proceed(page, as: server.maple.nadia, in: browser)
                        #expect(answer.carried?["code"] != nil)
                    }
                    let silent = try await browser.get(path + "&prompt=none")
                    #expect(silent.redirectParameters["error"] == "interaction_required")
                }
                let compatible = server.signInPath(
                    server.quizzler, scope: "",
                    [
                        "redirect_uri": Self.addresses[0], "response_type": "code id_token",
                        "response_mode": "fragment",
                    ])
                #expect(try await browser.follow(browser.get(compatible)).carried == nil)
            }
        }
    }

    @Test(
        "the device's extension, which takes the answer from an https address, goes on without a page",
        arguments: TestDatabase.available)
    func extensionIsSilent(_ kind: TestDatabase) async throws {
        try await withDevice(on: kind, isPublic: true) { server, browser in
            let path = server.standardPath(server.quizzler, Self.proof)
            let answer = try await browser.follow(browser.get(path))
            #expect(answer.carried?["code"] != nil)
            let silent = try await browser.get(path + "&prompt=none")
            #expect(silent.redirectParameters["code"] != nil)
        }
    }

    @Test("whoever types a password on the way has seen a page")
    func password() async throws {
        try await withDevice(on: .sqlite, isPublic: true) { server, _ in
            let path = server.standardPath(
                server.quizzler, ["redirect_uri": Self.addresses[0]].merging(Self.proof) { $1 })
            let answer = try await server.open(path, as: server.maple.nadia, in: server.browser())
            #expect(answer.carried?["code"] != nil)
        }
    }
}
