import ServerHTTP
import Testing

@testable import TestServers

@Suite struct ClientAddressTests {
    @Test(
        "behind a proxy on this machine the audit trail names whom the proxy has seen",
        arguments: [
            ("192.0.2.7", "192.0.2.7"), ("203.0.113.9, 192.0.2.7", "192.0.2.7"), ("2001:db8::7", "2001:db8::7"),
            ("192.0.2.7, nonsense", "127.0.0.1"), ("", "127.0.0.1"),
        ])
    func forwarded(header: String, address: String) async throws {
        try await TestServer.with { server in
            let browser = server.browser()
            _ = try await browser.get("/healthz", ["X-Forwarded-For": header])
            #expect(server.log.lines.last { $0.metadata["path"] == "/healthz" }?.metadata["address"] == address)
        }
    }

    @Test(
        "behind several proxies it names whom the first trusted one has seen, and nobody else's word is believed",
        arguments: [
            ("192.0.2.7, 10.0.0.1", "192.0.2.7"), ("203.0.113.9, 192.0.2.7, 10.0.0.1, 10.0.0.2", "192.0.2.7"),
            ("192.0.2.7", "192.0.2.7"), ("10.0.0.1", "10.0.0.1"), ("nonsense, 10.0.0.1", "10.0.0.1"),
        ])
    func chain(header: String, address: String) async throws {
        try await TestServer.with(configure: { $0.trustedProxies.append("10.0.0.0/24") }) { server in
            _ = try await server.browser().get("/healthz", ["X-Forwarded-For": header])
            #expect(server.log.lines.last { $0.metadata["path"] == "/healthz" }?.metadata["address"] == address)
        }
    }

    @Test("who is no trusted proxy cannot say who they are")
    func stranger() async throws {
        try await TestServer.with(configure: { $0.trustedProxies = [] }) { server in
            _ = try await server.browser().get("/healthz", ["X-Forwarded-For": "192.0.2.7"])
            #expect(server.log.lines.last { $0.metadata["path"] == "/healthz" }?.metadata["address"] == "127.0.0.1")
        }
    }
}
