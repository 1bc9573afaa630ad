import Directory
import ServerHTTP
import Testing

@testable import TestServers

@Suite struct ServerConfigurationTests {
    private func isImpossible(_ change: (inout ServerConfiguration) -> Void) throws -> Bool {
        var configuration = try ServerConfiguration(baseURL: "https://id.school.example")
        change(&configuration)
        do {
            try configuration.check()
            return false
        } catch ServerConfiguration.Problem.impossible {
            return true
        }
    }

    @Test("the defaults are possible")
    func defaults() throws {
        #expect(try !isImpossible { _ in })
    }

    @Test(
        "a rate that never lets a call pass, or has no number, is refused",
        arguments: [0, -1, 1e-300, .infinity, -.infinity, .nan])
    func rate(_ value: Double) throws {
        #expect(try isImpossible { $0.rateLimit.requestsPerSecond = value })
        #expect(try isImpossible { $0.rateLimit.burst = value })
        #expect(try isImpossible { $0.rateLimit.burst = 0.999 })
    }

    @Test("so are no time and no connections")
    func limits() throws {
        #expect(try isImpossible { $0.requestTimeout = .zero })
        #expect(try isImpossible { $0.requestTimeout = .seconds(1 << 40) })
        #expect(try isImpossible { $0.connectionsMax = 0 })
        #expect(try isImpossible { $0.connectionsPerAddress = 0 })
        #expect(try isImpossible { $0.wrongPasswords.burst = 0.5 })
        #expect(try isImpossible { $0.wrongPasswords.perMinute = 0 })
    }

    @Test("a port that is none, and a host that is neither address nor name, are refused in words")
    func listening() throws {
        for port in [-5, -1, 65_536, 70_000, Int.max] { #expect(try isImpossible { $0.port = port }, "\(port)") }
        for host in ["", "999.1.1.1", "1.2.3", "127.0.0.1/8", "::g", "[::1]", "a b", "http://a", "a/b", "ä.example"] {
            #expect(try isImpossible { $0.host = host }, "\(host)")
        }
        for port in [0, 1, 65_535] { #expect(try !isImpossible { $0.port = port }) }
        for host in ["127.0.0.1", "0.0.0.0", "::", "::1", "localhost", "id-1.school.example", "my_machine"] {
            #expect(try !isImpossible { $0.host = host }, "\(host)")
        }
    }

    @Test("a server does not start with them")
    func start() async throws {
        await #expect(throws: ServerConfiguration.Problem.self) {
            try await TestServer.with(configure: { $0.rateLimit.requestsPerSecond = 0 }) { _ in }
        }
    }

    @Test("a base URL is https, or http on loopback by any of its names")
    func baseURL() throws {
        for url in ["https://id.school.example", "http://LOCALHOST:8080", "http://id.localhost", "http://[::1]:8080"] {
            #expect(try ServerConfiguration(baseURL: url + "/").baseURL == url)
        }
        for url in ["http://id.school.example", "http://localhost.school.example", "http://127.0.0.1.nip.io"] {
            #expect(throws: ServerConfiguration.Problem.insecureBaseURL(url)) { try ServerConfiguration(baseURL: url) }
        }
    }
}
