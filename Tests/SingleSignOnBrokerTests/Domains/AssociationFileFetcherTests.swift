@testable import AssociationFiles
import Foundation
import Ground
import Glibc
import Logging
import NIOHTTP1
import NIOPosix
import NIOSSL
import SingleSignOn
@testable import SingleSignOnBroker
import Synchronization
import TestCertificates
import Testing

/// A real client against a real server with TLS.
@Suite struct AssociationFileFetcherTests {
    private static let app = "ACME123456.test.acme.signin"
    private static let domain = AssociatedDomain.test("authsrv:id.acme.test")
    private let authority: TestAuthority
    private let good: TestCertificates.Certificate

    init() throws {
        authority = try TestAuthority()
        good = try authority.certificate(for: "id.acme.test", by: authority.root)
    }

    private func ask(
        _ script: TestDomain.Script, certificate: TestCertificates.Certificate? = nil, trusts: Bool = true,
        highestTLS: TLSVersion? = nil, timeLimit: Duration = .seconds(10)
    ) async throws -> (answer: Result<AssociationFile, AssociationFileFailure>, requests: [HTTPRequestHead]) {
        let server = try await TestDomain(certificate ?? good, script, highestTLS: highestTLS)
        let fetcher = try server.fetcher(trusting: trusts ? authority.root : nil, timeLimit: timeLimit)
        let answer = await fetcher.fetch(Self.domain)
        try await server.stop()
        return (answer, server.requests)
    }

    @Test func `the file at the domain is what names the app: one plain GET, without cookies`() async throws {
        let (answer, requests) = try await ask(.file(Self.app))
        #expect(try answer.get().apps == [Self.app])
        #expect(requests.count == 1)
        let head = try #require(requests.first)
        #expect(head.method == .GET && head.uri == "/.well-known/apple-app-site-association")
        #expect(head.headers["host"].first?.hasPrefix("id.acme.test") == true)
        #expect(!head.headers.contains(name: "cookie") && !head.headers.contains(name: "authorization"))
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirection is not followed and denies`(_ code: Int) async throws {
        let script = TestDomain.Script.answer(
            .init(statusCode: code), [("Location", "https://id.acme.test/elsewhere"), ("Set-Cookie", "a=b")], Data())
        let (answer, requests) = try await ask(script)
        #expect(requests.count == 1)
        guard case .failure(.denied(let reason)) = answer else { throw Unexpected(answer) }
        #expect(reason.contains("redirection (\(code))"))
    }

    @Test(arguments: [
        (404, "no association file"), (410, "no association file"), (401, "401"), (403, "403"), (204, "204"),
        (206, "206"),
    ])
    func `an answer other than 200 denies`(_ code: Int, _ words: String) async throws {
        let body = code == 204 ? Data() : Data(#"{"authsrv":{"apps":["\#(Self.app)"]}}"#.utf8)
        let (answer, _) = try await ask(.answer(.init(statusCode: code), [], body))
        guard case .failure(.denied(let reason)) = answer else { throw Unexpected(answer) }
        #expect(reason.contains(words))
    }

    @Test(arguments: [500, 502, 503, 429, 408])
    func `a server in trouble is one that could not be asked`(_ code: Int) async throws {
        let (answer, _) = try await ask(.answer(.init(statusCode: code), [], Data()))
        guard case .failure(.unreachable(let reason)) = answer else { throw Unexpected(answer) }
        #expect(reason.contains("\(code)"))
    }

    @Test(arguments: [
        (Data("<!DOCTYPE html><html></html>".utf8), "no JSON object"), (Data(), "no JSON object"),
        (Data("[]".utf8), "no JSON object"), (Data(#"{"applinks":{}}"#.utf8), "no “authsrv”"),
        (Data(repeating: UInt8(ascii: " "), count: 10 << 20), "128 KiB"),
        (Data(repeating: UInt8(ascii: "["), count: 100 << 10), "no JSON object"),
    ])
    func `HTML, ten megabytes and other files that are none deny`(_ body: Data, _ words: String) async throws {
        let (answer, _) = try await ask(.answer(.ok, [("Content-Type", "application/json")], body))
        guard case .failure(.denied(let reason)) = answer else { throw Unexpected(answer) }
        #expect(reason.contains(words), "\(reason)")
    }

    @Test func `a certificate that has expired, or for another name, or by itself, does not count`() async throws {
        for (certificate, why) in [
            (try authority.certificate(for: "id.acme.test", days: -1, by: authority.root), "it has expired, at 20"),
            (try authority.certificate(for: "other.acme.test", by: authority.root), "it is made for another name"),
            (try authority.certificate(for: "id.acme.test", by: nil), "not made by an authority that the public knows"),
        ] {
            let (answer, requests) = try await ask(.file(Self.app), certificate: certificate)
            guard case .failure(.unreachable(let reason)) = answer else { throw Unexpected(answer) }
            #expect(reason.hasPrefix("id.acme.test has no certificate that counts: "), "\(reason)")
            #expect(reason.contains(why), "\(reason)")
            // The library's message has paths of the machine on which it was built.
            #expect(!reason.contains("/") && !reason.contains("SSL"), "\(reason)")
            #expect(requests.isEmpty)
        }
    }

    @Test func `an authority that is not public does not count`() async throws {
        let (answer, requests) = try await ask(.file(Self.app), trusts: false)
        guard case .failure(.unreachable(let reason)) = answer else { throw Unexpected(answer) }
        #expect(reason.contains("authority that the public knows"), "\(reason)")
        #expect(requests.isEmpty)
    }

    @Test func `without the public authorities nobody is asked`() async throws {
        let server = try await TestDomain(good, .file(Self.app))
        let fetcher = try AssociationFileFetcher(
            .init(), places: [.folder("/nowhere", selection: "/nowhere")], timeLimit: .seconds(1),
            now: Surroundings.system.now)
        let answer = await fetcher.fetch(Self.domain)
        try await server.stop()
        guard case .failure(.unreachable(let reason)) = answer else { throw Unexpected(answer) }
        #expect(reason.contains("ca-certificates"))
    }

    @Test func `TLS older than 1 2 is no proof`() async throws {
        let (answer, requests) = try await ask(.file(Self.app), highestTLS: .tlsv11)
        guard case .failure(.unreachable(let reason)) = answer else { throw Unexpected(answer) }
        #expect(reason.hasPrefix("id.acme.test could not be asked: there is no TLS with it: "), "\(reason)")
        #expect(!reason.contains("/"), "\(reason)")
        #expect(requests.isEmpty)
    }

    @Test(arguments: [TestDomain.Script.drip, .silence])
    func `a domain that drips or says nothing is left in time`(_ script: TestDomain.Script) async throws {
        let start = ContinuousClock.now
        let (answer, _) = try await ask(script, timeLimit: .milliseconds(500))
        guard case .failure(.unreachable(let reason)) = answer else { throw Unexpected(answer) }
        #expect(reason.contains("did not answer"))
        // The bound is wide for busy machines. Without the time limit the fetch would never end.
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test func `a domain that lets nobody in is left in time`() async throws {
        // The backlog of the listener is full, so further connections get no answer at all.
        let listener = try await BusyListener()
        var rules = AssociationRules()
        rules.port = listener.port
        rules.addresses = ["id.acme.test": "127.0.0.1"]
        let fetcher = try AssociationFileFetcher(
            rules, places: PublicRoots.places, timeLimit: .milliseconds(500), now: Surroundings.system.now)
        let start = ContinuousClock.now
        let answer = await fetcher.fetch(Self.domain)
        #expect(ContinuousClock.now - start < .seconds(60))
        guard case .failure(.unreachable) = answer else { throw Unexpected(answer) }
        listener.close()
    }

    @Test func `a domain that hangs up, is not there, or has no name cannot be asked`() async throws {
        let (answer, _) = try await ask(.hangUp)
        guard case .failure(.unreachable) = answer else { throw Unexpected(answer) }

        let server = try await TestDomain(good, .silence)
        let fetcher = try server.fetcher(trusting: authority.root)
        try await server.stop()
        guard case .failure(.unreachable(let reason)) = await fetcher.fetch(Self.domain) else {
            throw Unexpected(answer)
        }
        #expect(reason.contains("id.acme.test"))
        let nameless = await fetcher.fetch(.test("authsrv:nobody.invalid"))
        guard case .failure(.unreachable(let reason)) = nameless else { throw Unexpected(nameless) }
        #expect(reason.contains("nobody.invalid"))
    }

    @Test func `developer mode skips the certificate only if somebody has said so`() async throws {
        let stranger = try authority.certificate(for: "id.acme.test", by: nil)
        let server = try await TestDomain(stranger, .file(Self.app))
        let closed = try server.fetcher(trusting: nil)
        let open = try server.fetcher(trusting: nil, heedsDeveloperMode: true)
        for text in ["authsrv:id.acme.test?mode=developer", "authsrv:id.acme.test?mode=developer+managed"] {
            await #expect(throws: AssociationFileFailure.self) { try await closed.fetch(.test(text)).get() }
            let file = try await open.fetch(.test(text)).get()
            #expect(file.apps == [Self.app])
        }
        for text in ["authsrv:id.acme.test", "authsrv:id.acme.test?mode=managed"] {
            await #expect(throws: AssociationFileFailure.self) { try await open.fetch(.test(text)).get() }
        }
        try await server.stop()
    }

    @Test func `each exception is warned of, and changes the rules under which answers are kept`() throws {
        var rules = AssociationRules()
        #expect(rules.warnings.isEmpty && rules.name == "public")
        rules.extraRoots = authority.root.pem
        #expect(rules.warnings.count == 1 && rules.name != "public")
        var other = rules
        other.extraRoots = good.pem
        #expect(other.name != rules.name)
        rules.extraRoots = Data("nothing".utf8)
        #expect(throws: AssociationFileFetcher.NoRoots.self) { try AssociationFileFetcher(rules) }
        rules = AssociationRules()
        rules.heedsDeveloperMode = true
        #expect(rules.warnings.count == 1 && rules.name.contains("developer mode"))
        rules = AssociationRules()
        rules.port = 8_443
        rules.addresses = ["id.acme.test": "127.0.0.1"]
        #expect(rules.warnings.count == 1 && rules.name.contains("port 8443, id.acme.test at 127.0.0.1"))
    }
}

/// A socket that listens, accepts no connection, and has its backlog full.
private struct BusyListener {
    let port: Int
    private let sockets: [Int32]

    init() async throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let size = length
        let bound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 0) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard bound else { throw Unexpected(errno) }
        port = Int(UInt16(bigEndian: address.sin_port))
        var sockets = [listener]
        for _ in 0..<4 {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            _ = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(client, $0, size) }
            }
            sockets.append(client)
        }
        self.sockets = sockets
    }

    func close() { for socket in sockets { _ = Glibc.close(socket) } }
}

struct Unexpected: Error, CustomStringConvertible {
    let description: String
    init(_ value: Any) { description = "\(value)" }
}

/// Keeps what was logged.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }
    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.lines.withLock { $0.append("\(event.level) \(event.message) \(event.metadata ?? [:])") }
        }
    }
}
