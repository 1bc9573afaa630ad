@testable import ServerHTTP
@testable import TestServers
import Testing

@Suite struct TrustedProxiesTests {
    @Test(
        "a range holds its addresses, in either spelling of IPv4",
        arguments: [
            ("10.0.0.7", "10.0.0.7"), ("10.0.0.7", "::ffff:10.0.0.7"), ("10.0.0.0/8", "10.255.1.2"),
            ("172.16.0.0/12", "172.31.0.1"), ("0.0.0.0/0", "203.0.113.9"), ("2001:db8::/32", "2001:db8:ffff::1"),
            ("::1", "::1"), ("192.0.2.6/31", "192.0.2.7"),
        ])
    func holds(_ range: String, _ address: String) throws {
        #expect(try #require(AddressRange(range)).contains(address))
    }

    @Test(
        "and no others",
        arguments: [
            ("10.0.0.7", "10.0.0.8"), ("10.0.0.0/8", "11.0.0.1"), ("172.16.0.0/12", "172.32.0.1"),
            ("0.0.0.0/0", "2001:db8::1"), ("2001:db8::/32", "2001:db9::1"), ("192.0.2.6/31", "192.0.2.8"),
            ("::1", "127.0.0.1"), ("10.0.0.7", "nonsense"), ("10.0.0.7", ""),
        ])
    func excludes(_ range: String, _ address: String) throws {
        #expect(try !#require(AddressRange(range)).contains(address))
    }

    @Test(
        "what is no range is refused at the start",
        arguments: [
            "", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8/8", "proxy.example", "::1/129", "10.0/8",
        ])
    func refused(_ text: String) throws {
        #expect(AddressRange(text) == nil)
        var configuration = try ServerConfiguration(baseURL: "https://id.school.example")
        configuration.trustedProxies.append(text)
        #expect(throws: ServerConfiguration.Problem.self) { try configuration.check() }
    }
}
