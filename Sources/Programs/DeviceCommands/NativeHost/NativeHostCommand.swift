import ArgumentParser
import SingleSignOnClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// `lanyard-sso native-host`: the program that a browser starts for the extension, and that carries its questions to the
/// broker.
struct NativeHostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "native-host",
        abstract: "Carry messages between a browser's extension and the broker. Browsers start this, not people.",
        discussion: """
            Native messaging: a length of 32 bits in the machine's byte order and JSON, on standard input and output. \
            LANYARD_SSO_SOCKET names another socket of the broker.
            """)

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("What the browser says of the extension; not needed.", visibility: .hidden))
    var browserArguments: [String] = []

    func run() async throws {
        // A browser that goes away is the end of the input, not a signal.
        signal(SIGPIPE, SIG_IGN)
        let output = try NativeOutput.takingStandardOutput()
        let host = NativeHost(broker: BrokerClient(), output: output)
        for await frame in NativeInput.frames(of: STDIN_FILENO) {
            await host.receive(frame)
        }
        // The broker's connections end with the process, by which it knows that nobody waits any more.
        Glibc.exit(0)
    }
}
