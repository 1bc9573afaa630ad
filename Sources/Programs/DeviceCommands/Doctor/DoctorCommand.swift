import ArgumentParser
import CommandOutput
import SingleSignOn
import SingleSignOnClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract:
            "Look which link between a browser and the sign-in is missing, and say what to do about it. Changes nothing.",
        discussion: """
            It looks at profiles and their signatures, the broker and its socket, extensions, the word of each domain, the \
            browsers that are installed and the program that they start, the keyring, the servers and the clock. Run it as the \
            person who has the problem, without sudo. Exit code 1 if something is wrong; warnings alone are 0.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var places: ProfileStoreOptions

    @Option(
        help: ArgumentHelp(
            "Look for what browsers read below this folder, as if it were the system's root.", visibility: .hidden),
        completion: .directory)
    var root = ""

    func run() async throws {
        // A native host that ends at once must not end this process with it.
        signal(SIGPIPE, SIG_IGN)
        let environment = ProcessInfo.processInfo.environment
        let inUse = await ProfilesInUse(places)
        let installed = inUse.store.load()
        var findings = ProfileExamination(store: inUse.store, installed: installed).findings()
        findings += await BrokerExamination(client: BrokerClient(), installed: installed, environment: environment)
            .findings()
        findings += await ServerExamination(payloads: installed.payloads).findings()
        findings += BrowserExamination(payloads: installed.payloads, root: root, environment: environment).findings()
        findings += KeyringExamination(payloads: installed.payloads, stateFolder: inUse.stateFolder).findings()
        let report = DoctorReport(findings)
        try output.print(report) { report.text }
        if !report.isWell { throw ExitCode.failure }
    }
}
