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

/// `lanyard-sso native-host`: the program that a browser starts for the extension, to pass its questions to the broker.
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
        // A browser that exits is noticed by the end of the input; writing to it must not end this process with a
        // signal.
        signal(SIGPIPE, SIG_IGN)
        let output = try NativeOutput.takingStandardOutput()
        let host = NativeHost(broker: BrokerClient(), output: output)
        for await frame in NativeInput.frames(of: STDIN_FILENO) {
            await host.receive(frame)
        }
        // Exiting closes the connections to the broker, which then cancels the requests that are open.
        Glibc.exit(0)
    }
}
