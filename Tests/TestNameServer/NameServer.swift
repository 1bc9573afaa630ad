import Foundation
import NameServers

/// NSD, with one zone on a free port of this machine.
package struct NameServer {
    /// As those who ask take it, such as `127.0.0.1:5353`.
    package let address: String
    private let domain: String

    /// - Parameter records: as they stand in the file of a zone (RFC 1035, section 5).
    package static func with(
        _ records: String, domain: String = "maple.example", _ body: (NameServer) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("nsd-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let zone = """
            $ORIGIN \(domain).
            $TTL 60
            @ SOA ns hostmaster 1 3600 600 86400 60
            @ NS ns
            ns A 127.0.0.1
            ready TXT "ready"
            \(records)

            """
        try zone.write(to: folder.appendingPathComponent("zone"), atomically: true, encoding: .utf8)
        let (process, server) = try await start(domain: domain, in: folder)
        defer { stop(process) }
        try await body(server)
    }

    /// A port that looks free may be taken before the server has it, above all beside other tests: then it takes another one.
    private static func start(domain: String, in folder: URL) async throws -> (Process, NameServer) {
        for _ in 0..<4 {
            if let started = try? await tryToStart(domain: domain, in: folder) { return started }
        }
        return try await tryToStart(domain: domain, in: folder)
    }

    private static func tryToStart(domain: String, in folder: URL) async throws -> (Process, NameServer) {
        let port = try freePort()
        let settings = """
            server:
                server-count: 1
                ip-address: 127.0.0.1
                port: \(port)
                username: ""
                database: ""
                pidfile: ""
                zonesdir: "\(folder.path)"
                xfrdfile: "\(folder.path)/xfrd"
                zonelistfile: "\(folder.path)/zones"
                logfile: "\(folder.path)/log"
            remote-control:
                control-enable: no
            zone:
                name: \(domain)
                zonefile: zone

            """
        let file = folder.appendingPathComponent("nsd.conf")
        try settings.write(to: file, atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/sbin/nsd")
        process.arguments = ["-d", "-c", file.path]
        process.standardError = FileHandle.nullDevice
        try process.run()
        let server = NameServer(address: "127.0.0.1:\(port)", domain: domain)
        do {
            try await server.waitUntilReady(process)
        } catch {
            stop(process)
            throw error
        }
        return (process, server)
    }

    /// It has inherited that gentler signals are held back, and has children in its group.
    private static func stop(_ process: Process) {
        kill(-process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private struct Unready: Error {}

    private func waitUntilReady(_ process: Process) async throws {
        let servers = NameServers(address)
        let end = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < end, process.isRunning {
            if (try? await servers.records(at: "ready.\(domain)", of: .text) { _ in [true] }) == [true] { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Unready()
    }

    private static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                guard bind(descriptor, generic, length) == 0, getsockname(descriptor, generic, &length) == 0 else {
                    throw Unready()
                }
            }
            return UInt16(bigEndian: pointer.pointee.sin_port)
        }
    }
}
