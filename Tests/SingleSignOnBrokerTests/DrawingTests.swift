import Foundation
import Ground
import Logging
import NIOCore
import NIOPosix
import SingleSignOnWire
import Testing

@testable import SingleSignOnBroker

@Suite struct DrawingTests {
    /// The extension has asked to show something, and answered before it came to that.
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
}
