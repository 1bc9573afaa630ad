import Testing

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
}
