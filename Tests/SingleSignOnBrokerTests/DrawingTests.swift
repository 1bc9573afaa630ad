import Foundation
import Ground
import Logging
import NIOCore
import NIOPosix
import SingleSignOn
import SingleSignOnWire
import Testing

@testable import SingleSignOnBroker

@Suite struct DrawingTests {
    private let caller = Peer(processIdentifier: 7, user: 1_000)
    private let other = Peer(processIdentifier: 8, user: 1_000)

    /// A request on a connection that stays open for as long as the test holds it.
    private func connection() throws -> (HTTPConnectionTests.Connection, HTTPExchange) {
        let connection = try HTTPConnectionTests.Connection()
        try connection.receive("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        return (connection, try #require(connection.exchanges.first))
    }

    /// The extension has asked to show something, and has answered before it was shown.
    @Test(.timeLimit(.minutes(1))) func `nothing is drawn for a request that is over, and nobody waits for it`() async {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let folder = NSTemporaryDirectory() + "/drawing.\(UUID().uuidString)"
        let broker = Broker(
            on: loop,
            settings: .init(
                surroundings: .system, stateFolder: folder,
                profilePlaces: .init(device: "", user: nil, policy: "", allowsUserProfiles: false)),
            callers: CallerIdentifier(),
            domains: DomainRegistry(
                file: DomainRecordFile(path: "\(folder)/domains.json", rules: "test"),
                fetch: { _ in .failure(.unreachable("")) }, now: Surroundings.system.now, logger: logger),
            desktop: DesktopPresenter(on: loop, surroundings: .system, open: { _ in false }, logger: logger),
            logger: logger)
        #expect(await broker.draw(.init(id: "over", page: "https://id.acme.test/")) == .canceled)
    }

    @Test func `only the process that asked answers, and only while something is shown`() throws {
        let (connection, exchange) = try connection()
        var drawings = Drawings()
        drawings.begin("a", exchange, caller)
        #expect(!drawings.isShown("a", by: caller), "nothing is shown yet")
        var answers: [PresentationResult] = []
        let shownOn = drawings.show("a") { answers.append($0) }
        #expect(shownOn?.connection === connection.exchanges.first?.connection)
        #expect(drawings.isShown("a", by: caller))
        #expect(!drawings.isShown("a", by: other) && !drawings.isShown("b", by: caller))
        drawings.takeAnswer("a")?(.returned("https://id.acme.test/"))
        #expect(drawings.takeAnswer("a") == nil, "the first answer counts")
        #expect(!drawings.isShown("a", by: caller))
        #expect(answers == [.returned("https://id.acme.test/")])
        // The same request may show something again.
        _ = drawings.show("a") { answers.append($0) }
        #expect(drawings.isShown("a", by: caller))
    }

    @Test func `the end of a request cancels what is shown, once, and nothing is shown after it`() throws {
        let (_, exchange) = try connection()
        var drawings = Drawings()
        drawings.begin("a", exchange, caller)
        drawings.begin("b", exchange, caller)
        var answers: [String] = []
        _ = drawings.show("a") { answers.append("a \($0 == .canceled)") }
        _ = drawings.show("b") { answers.append("b \($0 == .canceled)") }
        drawings.end("a")
        drawings.end("a")
        #expect(answers == ["a true"])
        #expect(drawings.isShown("b", by: caller) && !drawings.isShown("a", by: caller))
        let late = drawings.show("a") { _ in answers.append("late") }
        #expect(late == nil && drawings.takeAnswer("a") == nil && answers == ["a true"])
    }
}
