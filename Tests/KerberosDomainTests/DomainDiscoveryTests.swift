import Ground
import KerberosProfile
import NameServers
import SeededNumbers
import SingleSignOnWire
import Synchronization
import TestNameServer
import Testing

@testable import KerberosDomain

/// docs/specifications/extensible-single-sign-on.md, 24. The name server is NSD; the domain controllers of Samba are in
/// Tests/EndToEnd/kerberos.
@Suite struct DomainDiscoveryTests {
    private static let centers = """
        _kerberos._tcp SRV 10 0 88 dc2
        _kerberos._tcp SRV 0 0 88 dc1
        _kerberos._udp SRV 0 0 88 dc1
        _kerberos._udp SRV 20 0 1088 dc3
        _kpasswd._udp SRV 0 0 464 dc1
        _kpasswd._tcp SRV 5 0 464 branch
        _kerberos._tcp.Branch._sites SRV 0 0 88 branch
        dc1 A 127.0.0.1
        dc2 A 127.0.0.1
        """

    private static func controllers(_ ports: UInt16...) -> String {
        ports.enumerated().map { "_ldap._tcp.dc._msdcs SRV \($0.offset) 0 \($0.element) dc1" }.joined(separator: "\n")
    }

    private static func find(
        _ records: String, settings: [String: PropertyListValue] = [:], patience: Duration = .milliseconds(200),
        _ body: (DiscoveredDomain) throws -> Void
    ) async throws {
        try await NameServer.with("\(centers)\n\(records)", domain: "corp.test") { server in
            let discovery = DomainDiscovery(servers: server.address, patience: patience)
            try body(await discovery.find(KerberosSettings(realm: "CORP.TEST", extensionData: settings)))
        }
    }

    @Test("the servers of the client's site come first, then all others by priority")
    func site() async throws {
        let responder = try PingResponder { [PingResponder.description($0)] }
        defer { responder.stop() }
        let near = "_ldap._tcp.Branch._sites.dc._msdcs SRV 0 0 389 branch"
        try await Self.find("\(Self.controllers(responder.port))\n\(near)") { found in
            #expect(found.site == "Branch" && found.gaps == [])
            #expect(found.realm == "CORP.TEST" && found.domain == "corp.test")
            #expect(
                found.keyDistributionCenters.map(\.description)
                    == ["branch.corp.test", "dc1.corp.test", "dc2.corp.test", "dc3.corp.test:1088"])
            #expect(found.passwordServers.map(\.description) == ["branch.corp.test", "dc1.corp.test"])
            #expect(found.controllers.map(\.host) == ["branch.corp.test", "dc1.corp.test"])
            #expect(found.description?.forest == "corp.test" && found.description?.controllerSite == "Main")
        }
    }

    @Test("who is silent, away, or sends garbage or lies does not keep an honest answer away")
    func liars() async throws {
        let silent = try PingResponder { _ in [] }
        let garbage = try PingResponder { _ in [[], [0x30], [UInt8](repeating: 0xff, count: 4000)] }
        let liar = try PingResponder {
            [
                PingResponder.description($0, clientSite: "Evil", domain: "evil.test"),
                PingResponder.description($0 ^ 1, clientSite: "Evil"),
                PingResponder.description($0, clientSite: "Evil", domain: "corp.test.evil.test"),
            ]
        }
        let honest = try PingResponder { [PingResponder.description($0)] }
        let all = [silent, garbage, liar, honest]
        defer { for one in all { one.stop() } }
        // Nothing listens at the first port.
        try await Self.find(Self.controllers(1, silent.port, garbage.port, liar.port, honest.port)) { found in
            #expect(found.site == "Branch")
        }
        let watch = Stopwatch()
        try await Self.find(Self.controllers(1, silent.port, garbage.port, liar.port)) { found in
            #expect(found.site == nil && found.gaps == [.noAnswerOfControllers])
            #expect(found.keyDistributionCenters.first?.host == "dc1.corp.test")
        }
        // Three times 200 ms, and the start of a name server.
        #expect(watch.elapsed < .seconds(25))
        #expect(silent.count >= 3)
    }

    @Test("a question that is lost is asked again")
    func retries() async throws {
        let tries = Counter()
        let responder = try PingResponder { tries.next() < 3 ? [] : [PingResponder.description($0)] }
        defer { responder.stop() }
        try await Self.find(Self.controllers(responder.port)) { found in #expect(found.site == "Branch") }
        #expect(responder.count == 3)
    }

    @Test("nobody is asked for the site if it is given, or is not to be looked for")
    func given() async throws {
        let responder = try PingResponder { [PingResponder.description($0, clientSite: "Other")] }
        defer { responder.stop() }
        let records = Self.controllers(responder.port)
        try await Self.find(records, settings: ["siteCode": .string("Branch")]) { found in
            #expect(found.site == "Branch" && found.keyDistributionCenters.first?.host == "branch.corp.test")
        }
        try await Self.find(records, settings: ["useSiteAutoDiscovery": .boolean(false)]) { found in
            #expect(
                found.site == nil && found.keyDistributionCenters.first?.host == "dc1.corp.test" && found.gaps == [])
        }
        #expect(responder.count == 0)
        try await Self.find(records) { found in
            #expect(found.site == "Other" && found.gaps == [.noCenterOfSite("Other")])
        }
    }

    @Test("a client that belongs to no site is told apart from controllers that do not answer")
    func noSite() async throws {
        let responder = try PingResponder { [PingResponder.description($0, clientSite: "")] }
        defer { responder.stop() }
        try await Self.find(Self.controllers(responder.port)) { found in
            #expect(found.site == nil && found.gaps == [.noSite] && found.description != nil)
        }
        try await Self.find("") { found in #expect(found.gaps == [.noController] && found.controllers == []) }
    }

    /// An answer with records of a service (RFC 1035 §4.1, RFC 2782), as long as the question's name is.
    private static func answer(_ question: [UInt8], hosts: [String]) -> [UInt8] {
        var end = 12
        while question[end] != 0 { end += Int(question[end]) + 1 }
        // The number of the question, that it is answered, and how many of each there are.
        var answer = Array(question[..<2])
        answer += [0x81, 0x80, 0, 1, 0, UInt8(hosts.count), 0, 0, 0, 0]
        answer += question[12..<(end + 5)]
        for (index, host) in hosts.enumerated() {
            var name: [UInt8] = []
            for label in host.split(separator: ".") { name += [UInt8(label.utf8.count)] + Array(label.utf8) }
            name.append(0)
            // The name is that of the question; an hour; priority, weight and port.
            answer += [0xc0, 12, 0, 33, 0, 1, 0, 0, 0x0e, 0x10, 0, UInt8(name.count + 6)]
            answer += [0, UInt8(index), 0, 0, 0, 88] + name
        }
        return answer
    }

    @Test("whatever is changed in an answer with servers, only names that can be asked for come of it")
    func damagedRecords() async throws {
        let damage = Mutex((random: SeededGenerator(seed: 24), isOn: false))
        let hosts = ["dc1.corp.test", "dc2.corp.test", "a-rather-long-name-of-a-server.branch.corp.test"]
        let responder = try PingResponder.answering { question in
            let whole = Self.answer(question, hosts: hosts)
            return damage.withLock { damage in
                guard damage.isOn else { return [whole] }
                func byte() -> UInt8 { UInt8.random(in: 0...255, using: &damage.random) }
                var copy = whole
                let start = Self.answer(question, hosts: []).count
                let records = (whole.count - start)..<whole.count
                for _ in 0..<Int.random(in: 1...6, using: &damage.random) {
                    copy[Int.random(in: records, using: &damage.random)] = byte()
                }
                // The counts, which may promise more than there is.
                if Bool.random(using: &damage.random) {
                    copy[Int.random(in: 6...11, using: &damage.random)] = byte()
                }
                if Bool.random(using: &damage.random) {
                    copy.removeLast(Int.random(in: 0...records.count, using: &damage.random))
                }
                return [copy]
            }
        }
        defer { responder.stop() }
        let servers = NameServers("127.0.0.1:\(responder.port)")
        let honest = try await servers.services(at: "_kerberos._tcp.corp.test", surroundings: .system)
        #expect(honest.map(\.host) == hosts)
        damage.withLock { $0.isOn = true }
        var (read, refused) = (0, 0)
        for _ in 0..<1000 {
            do {
                let found = try await servers.services(at: "_kerberos._tcp.corp.test", surroundings: .system)
                read += 1
                #expect(found.count <= ServiceRecord.countMax)
                #expect(found.allSatisfy { DomainName.canonical($0.host) == $0.host && $0.port > 0 }, "\(found)")
            } catch {
                refused += 1
                #expect(error is NameServers.Failure, "\(error)")
            }
        }
        #expect(read > 0 && refused > 0, "\(read) \(refused)")
        // None of them has hung: the question is asked again only if its answer is none.
        #expect(responder.count < 5000)
    }

    @Test("what is missing is said with the reason")
    func missing() async throws {
        try await NameServer.with("_kerberos._tcp SRV 0 0 0 .", domain: "corp.test") { server in
            let discovery = DomainDiscovery(servers: server.address)
            #expect(await discovery.find("corp.test").gaps == [.noCenter, .noController])
            #expect(await discovery.find("none.corp.test").gaps == [.noCenter, .noController])
            #expect(await discovery.find("corp test").gaps == [.noDomainName])
            #expect(await discovery.find("").gaps == [.noDomainName])
        }
        let gaps = await DomainDiscovery(servers: "127.0.0.1:1").find("corp.test").gaps
        #expect(gaps.count == 3 && gaps.dropFirst() == [.noCenter, .noController])
        guard case .noNameServer = gaps.first else {
            Issue.record("\(gaps)")
            return
        }
    }
}

private final class Counter: Sendable {
    private let value = Mutex(0)

    func next() -> Int {
        value.withLock {
            $0 += 1
            return $0
        }
    }
}
