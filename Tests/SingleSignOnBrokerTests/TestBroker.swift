import Foundation
import Ground
import Logging
import NIOCore
import NIOPosix
import SingleSignOn
import SingleSignOnWire
import Synchronization

@testable import SingleSignOnBroker

#if canImport(Glibc)
    import Glibc
#endif

/// A broker on a socket of its own, which this process asks, and an extension that is a shell script of the test.
final class TestBroker: Sendable {
    static let url = "https://id.acme.test/realms/staff/page"

    let broker: Broker
    let domains: DomainRegistry
    /// The socket's path.
    let socket: String
    private let loop: any EventLoop
    private let folder: URL
    private let channel: any Channel
    private let said: Said

    /// Whether the domain agrees to the extension.
    private final class Said: Sendable {
        private let value = Mutex(true)

        var agrees: Bool {
            get { value.withLock { $0 } }
            set { value.withLock { $0 = newValue } }
        }
    }

    /// Starts a broker whose profile covers ``url``, and whose domain agrees.
    /// - Parameter script: the extension's shell script. Its socket is descriptor 3.
    static func start(_ script: String) async throws -> TestBroker {
        let started = try await TestBroker(script)
        await started.broker.install(try started.installation())
        await started.domains.refresh()
        return started
    }

    private init(_ script: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "broker-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let program = folder.appending(path: "extension")
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: program)
        chmod(program.path, 0o755)
        mkfifo("\(program.path).go", 0o600)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let said = Said()
        let domains = DomainRegistry(
            file: DomainRecordFile(path: folder.appending(path: "domains.json").path, rules: "test"),
            fetch: { _ in .success(AssociationFile(apps: said.agrees ? ["ACME123456.test.acme"] : [])) },
            now: Surroundings.system.now, logger: logger)
        let broker = Broker(
            on: loop,
            settings: .init(
                surroundings: .system, stateFolder: folder.path,
                profilePlaces: .init(device: "", user: nil, policy: "", allowsUserProfiles: false)),
            callers: CallerIdentifier(), domains: domains,
            desktop: DesktopPresenter(on: loop, surroundings: .system, open: { _ in false }, logger: logger),
            logger: logger)
        socket = folder.appending(path: "run/sso.sock").path
        channel = try await BrokerSocket(path: socket).listen(for: broker, on: loop)
        (self.broker, self.domains, self.loop, self.folder, self.said) = (broker, domains, loop, folder, said)
    }

    /// Listens once more, at the same path or at another.
    func listenAgain(at path: String? = nil) async throws -> any Channel {
        try await BrokerSocket(path: path ?? socket).listen(for: broker, on: loop)
    }

    /// Stops listening. Returns when the file of the socket is deleted.
    func close() async throws { try await Self.close(channel) }

    /// Closes a channel, and returns when all callbacks of its `closeFuture` were called. `close()` alone returns
    /// earlier, and one of the callbacks deletes the file.
    static func close(_ channel: any Channel) async throws {
        channel.close(promise: nil)
        try await channel.closeFuture.get()
    }

    func stop() async throws {
        try? await channel.close()
        await broker.shutDown()
        try FileManager.default.removeItem(at: folder)
    }

    func domain(agrees: Bool) async {
        said.agrees = agrees
        await domains.refresh()
    }

    /// - Parameters:
    ///   - denied: the identifiers of callers that the profile denies.
    ///   - hasExtension: whether the extension is on the device.
    func installation(denying denied: [String] = [], hasExtension: Bool = true) throws -> Installation {
        let profile = """
            <plist version="1.0"><dict><key>PayloadType</key><string>Configuration</string>\
            <key>PayloadVersion</key><integer>1</integer><key>PayloadIdentifier</key><string>test.acme</string>\
            <key>PayloadUUID</key><string>4B1C6C3E-6B0E-4E0B-9C55-3A0B5D7F0A01</string>\
            <key>PayloadContent</key><array><dict>\
            <key>PayloadType</key><string>\(SingleSignOnPayload.type)</string><key>PayloadVersion</key><integer>1</integer>\
            <key>PayloadIdentifier</key><string>test.acme.payload</string>\
            <key>PayloadUUID</key><string>4B1C6C3E-6B0E-4E0B-9C55-3A0B5D7F0A02</string>\
            <key>ExtensionIdentifier</key><string>test.acme.ext</string>\
            <key>TeamIdentifier</key><string>ACME123456</string><key>Type</key><string>Redirect</string>\
            <key>URLs</key><array><string>https://id.acme.test/realms/staff/</string></array>\
            <key>DeniedBundleIdentifiers</key><array>\(denied.map { "<string>\($0)</string>" }.joined())</array>\
            </dict></array></dict></plist>
            """
        let reading = ProfileReading(Data(profile.utf8))
        guard let read = reading.profile else { throw BrokerService.CannotStart(description: "\(reading.findings)") }
        let manifest = try ExtensionManifest(
            reading: Data(
                """
                {"extensionIdentifier": "test.acme.ext", "hostAppIdentifier": "test.acme", "teamIdentifier": "ACME123456",
                "displayName": "Acme", "executable": "\(folder.appending(path: "extension").path)",
                "associatedDomains": ["authsrv:id.acme.test"]}
                """.utf8))
        return Installation(
            InstalledProfiles(entries: [
                .init(profile: read, source: "/test", kind: .device, installedAt: Date(), signer: nil)
            ]), (hasExtension ? [manifest] : [], []))
    }

    /// The identifier that the broker has for this process.
    static func ownIdentifier() throws -> String {
        let own = getpid()
        guard let descriptor = ProcessDescriptor(own),
            let identified = CallerIdentifier().identify(
                Peer(processIdentifier: own, user: geteuid()), descriptor, speaksForBrowser: false)
        else { throw BrokerService.CannotStart(description: "this process is not known") }
        return identified.caller.bundleIdentifier
    }

    // MARK: The extension

    /// Has an extension with the script ``waits`` answer with a report.
    func answer(_ report: ExtensionReport) throws {
        let message = try JSONEncoder().encode(report)
        let length = withUnsafeBytes(of: UInt32(message.count).bigEndian) { Data($0) }
        try (length + message).write(to: folder.appending(path: "extension.answer"))
        // Blocks until the extension opens the pipe to read.
        try FileHandle(forWritingTo: folder.appending(path: "extension.go")).write(contentsOf: Data("go\n".utf8))
    }

    /// A script that reads a request, waits for ``answer(_:)``, and answers.
    static let waits = """
        head -c 4 <&3 > /dev/null
        read line < "$0.go"
        cat "$0.answer" >&3
        exec cat <&3 > /dev/null
        """

    /// Returns as soon as a request was handed to the extension.
    func waitUntilAsked() async {
        while await broker.openRequestsOfExtensions == 0 { await Task.yield() }
    }

    var startedExtensions: Int { get async { await broker.extensionsAsked } }

    // MARK: Asking

    func ask(_ url: String = TestBroker.url, operation: String? = nil) async throws -> BrokerOutcome {
        let wish = operation.map { #", "operation": "\#($0)""# } ?? ""
        let body = #"{"url": "\#(url)", "presentation": "none"\#(wish)}"#
        let text = try await send(
            "POST /v1/requests HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        let end = text.range(of: "\r\n\r\n").map { String(text[$0.upperBound...]) } ?? ""
        guard case .finished(let outcome) = try JSONDecoder().decode(BrokerEvent.self, from: Data(end.utf8)) else {
            throw BrokerService.CannotStart(description: "it has not ended: \(text)")
        }
        return outcome
    }

    /// A connection that sends these bytes, and never reads.
    func connectDeaf(_ text: String) throws -> Int32 {
        let caller = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) {
            $0.copyBytes(from: socket.utf8)
        }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(caller, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0, Glibc.send(caller, text, text.utf8.count, Int32(MSG_NOSIGNAL)) == text.utf8.count
        else { throw POSIXError(.ECONNREFUSED) }
        return caller
    }

    /// Sends these bytes, and returns all that comes until the connection ends.
    func send(_ text: String) async throws -> String {
        let channel = try await ClientBootstrap(group: loop).connect(unixDomainSocketPath: socket) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
        return try await channel.executeThenClose { inbound, outbound in
            // Written while answers are read: the broker stops reading from a client that does not read.
            async let sent: Void = outbound.write(ByteBuffer(string: text))
            var answer = ""
            for try await part in inbound { answer += String(buffer: part) }
            try await sent
            return answer
        }
    }
}

extension Broker {
    fileprivate var openRequestsOfExtensions: Int {
        status.extensions.reduce(0) { $0 + $1.openRequests }
    }
}
