import Foundation
import Ground
import Logging
import NIOPosix
import SingleSignOn
import SingleSignOnWire
import Testing

@testable import SingleSignOnBroker

@Suite struct DesktopBrowserTests {
    @Test func `of the session's environment only what leads to the desktop is taken`() {
        let text = """
            HOME=/home/mika
            DISPLAY=:0
            LD_PRELOAD=/tmp/evil.so
            XAUTHORITY=/run/user/1000/x=y
            WAYLAND_DISPLAY=$'way\\nland'
            PATH=/tmp
            nonsense
            """
        #expect(DesktopBrowser.environment(in: text) == ["DISPLAY": ":0", "XAUTHORITY": "/run/user/1000/x=y"])
        #expect(DesktopBrowser.environment(in: "") == [:])
    }

    /// The request ends while the desktop is looked for.
    @Test(.timeLimit(.minutes(1))) func `no page is opened for a request that is over`() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: Bool.self)
        let presenter = DesktopPresenter(
            on: loop, surroundings: .system,
            open: { _ in
                begin.finish()
                // Returns early if the task is canceled.
                for await _ in AsyncStream<Void>.makeStream().stream {}
                end.yield(await DesktopBrowser(command: ["/usr/bin/true"], loop: loop).open("http://127.0.0.1/"))
                return true
            }, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let manifest = try ExtensionManifest(
            reading: Data(
                """
                {"extensionIdentifier": "test.acme.ext", "hostAppIdentifier": "test.acme", "teamIdentifier": "ACME",
                "displayName": "Acme", "executable": "/usr/bin/true"}
                """.utf8))
        let session = presenter.session(
            manifest, of: nil,
            CallerIdentifier.Identified(
                caller: Caller(
                    bundleIdentifier: "a", teamIdentifier: "", displayName: "", isManaged: false, processIdentifier: 1),
                isNameKnown: true, isBridge: false, mayDrawInTerminal: false))
        async let result = session.show(.form(PresentationForm(title: "", fields: [], submit: "")))
        for await _ in began {}
        await session.close()
        #expect(await result == .canceled)
        #expect(await ended.first { _ in true } == false)
    }
}
