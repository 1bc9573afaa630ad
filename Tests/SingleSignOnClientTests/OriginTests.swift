import Testing

@testable import SingleSignOnClient

@Suite struct OriginTests {
    @Test(arguments: [
        ("HTTPS://Acme.test:443/a", "https://acme.test"), ("https://acme.test.:8443", "https://acme.test:8443"),
        ("http://[::1]:8080/", "http://[::1]:8080"), ("http://[::1]/", "http://[::1]"),
    ])
    func `an origin is written as browsers write it`(url: String, text: String) {
        #expect(Origin(url)?.description == text)
    }

    @Test(arguments: [
        ("localhost", true), ("app.localhost", true), ("127.0.0.1", true), ("127.9.9.9", true), ("[::1]", true),
        ("127.acme.test", false), ("127.0.0.acme", false), ("127.0.0.1.acme.test", false), ("127.0.0.256", false),
        ("localhost.acme.test", false), ("128.0.0.1", false),
    ])
    func `what stays on this device is an address of it, and no name that begins like one`(host: String, stays: Bool) {
        // Some of these are no URLs at all.
        #expect((Origin("http://\(host)/")?.isLoopback ?? false) == stays)
    }
}
