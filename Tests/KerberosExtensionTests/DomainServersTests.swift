import Foundation
import Ground
import KerberosDomain
import KerberosProfile
import SingleSignOnExtension
import SingleSignOnWire
import Synchronization
import TestNameServer
import Testing

@testable import KerberosExtension

/// docs/specifications/extensible-single-sign-on.md, 24. The name server is NSD; domain controllers of Samba are in
/// Tests/EndToEnd/kerberos.
@Suite struct DomainServersTests {
    private static let records = """
        _kerberos._tcp SRV 0 0 88 dc1
        _kerberos._tcp.Branch._sites SRV 0 0 1088 branch
        _kpasswd._tcp SRV 0 0 464 dc1
        """

    /// A clock and a place that tests move.
    private final class World: Sendable {
        let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
        let place = Mutex("192.0.2.7")
        let folder = ExtensionFolder(
            path: FileManager.default.temporaryDirectory.appendingPathComponent("servers-\(UUID())").path)

        deinit { try? FileManager.default.removeItem(atPath: folder.path) }

        func servers(_ nameServer: String, limit: Duration = .seconds(20)) -> DomainServers {
            var surroundings = Surroundings.system
            surroundings = Surroundings(
                now: { self.time.withLock { $0 } }, randomBytes: surroundings.randomBytes)
            var servers = DomainServers(
                folder: folder, discovery: DomainDiscovery(servers: nameServer, surroundings: surroundings),
                surroundings: surroundings, network: { self.place.withLock { $0 } })
            servers.limit = limit
            return servers
        }

        func wait(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }
    }

    private func settings(_ data: [String: PropertyListValue] = [:]) -> KerberosSettings {
        KerberosSettings(realm: "CORP.TEST", extensionData: data)
    }

    /// Nothing listens there, so that whatever is answered was known.
    private static let nobody = "127.0.0.1:1"

    @Test func `what was found counts for an hour, at one place, for one wish`() async throws {
        let world = World()
        try await NameServer.with(Self.records, domain: "corp.test") { server in
            let found = await world.servers(server.address).servers(settings())
            #expect(found.keyDistributionCenters == ["dc1.corp.test"] && found.passwordServers == ["dc1.corp.test"])
            #expect(found.problem == nil && found.site == nil && found.controllers.isEmpty)
            #expect(found.centers.map(\.host) == ["dc1.corp.test"])
        }
        let away = world.servers(Self.nobody)
        world.wait(3599)
        #expect(await away.servers(settings()).problem == nil)
        // Each of these has it looked for again, which is in vain; what was known stays.
        world.place.withLock { $0 = "198.51.100.7" }
        var found = await away.servers(settings())
        #expect(found.problem?.hasPrefix("No name server has answered for corp.test") == true)
        #expect(found.keyDistributionCenters == ["dc1.corp.test"])
        try await NameServer.with(Self.records, domain: "corp.test") { server in
            world.wait(30)
            found = await world.servers(server.address).servers(settings(["siteCode": .string("Branch")]))
            #expect(found.keyDistributionCenters == ["branch.corp.test:1088", "dc1.corp.test"])
            #expect(found.site == "Branch" && found.problem == nil)
            world.wait(3601)
            found = await away.servers(settings(["siteCode": .string("Branch")]))
            #expect(found.problem != nil && found.site == "Branch")
            // A moment after a failure nobody is asked; then somebody is.
            found = await world.servers(server.address).servers(settings(["siteCode": .string("Branch")]))
            #expect(found.problem != nil)
            world.wait(30)
            found = await world.servers(server.address).servers(settings(["siteCode": .string("Branch")]))
            #expect(found.problem == nil)
        }
    }

    @Test func `what is known is looked for anew on request, and stays where nothing is found`() async throws {
        let world = World()
        try await NameServer.with(Self.records, domain: "corp.test") { server in
            let found = await world.servers(server.address).servers(settings())
            let vain = await world.servers(Self.nobody).servers(settings(), isAnew: true)
            #expect(vain.problem != nil && vain.keyDistributionCenters == found.keyDistributionCenters)
            // Right after a search in vain, too.
            #expect(await world.servers(server.address).servers(settings(), isAnew: true) == found)
        }
    }

    @Test func `a domain without records is said, and asked about less often beside preferred servers`() async throws {
        try await NameServer.with("www A 127.0.0.1", domain: "corp.test") { server in
            let world = World()
            let named = settings(["preferredKDCs": .array([.string("kdc.corp.test")])])
            let first = await world.servers(server.address).servers(named)
            #expect(
                first.problem
                    == "The domain corp.test has no SRV records for Kerberos, such as _kerberos._tcp.corp.test.")
            world.wait(899)
            #expect(await world.servers(Self.nobody).servers(named) == first)
            world.wait(1)
            #expect(await world.servers(Self.nobody).servers(named).problem?.hasPrefix("No name server") == true)
        }
    }

    @Test func `nobody waits for name servers until they are given up`() async throws {
        // It takes questions and answers none.
        let silent = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(silent) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(silent, $0, length)
                _ = getsockname(silent, $0, &length)
            }
        }
        let port = UInt16(bigEndian: address.sin_port)
        let world = World()
        let servers = world.servers("127.0.0.1:\(port)", limit: .milliseconds(300))
        // That takes six seconds, and is then said in other words.
        #expect(await servers.servers(settings()).problem == "The name servers have not answered in time.")
    }

    @Test func `where this computer is does not change by itself, and has no address of the machine's own`() {
        let place = NetworkPlace.current()
        #expect(place == NetworkPlace.current())
        #expect(!place.split(separator: "\n").contains { $0.hasPrefix("127.") || $0 == "::1" })
    }
}
