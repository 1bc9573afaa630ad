import ArgumentParser
import CommandOutput
import SingleSignOn

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct ProfileInstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Install a profile, in place of one with the same identifier.",
        discussion: """
            Exit code 2 if the profile has errors or clashes with one that is installed; nothing has changed then. For \
            the device only root installs; users have profiles of their own if the administrator allows it.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var places: ProfileStoreOptions
    @OptionGroup var kind: ProfileKindOption

    @Argument(help: "The profile: XML, binary or signed.", completion: .file())
    var file: String

    private struct Report: Encodable {
        let installed: Bool
        let profile: InstalledProfileReport?
        let replaced: Bool
        let findings: [FindingLine]
    }

    func run() throws {
        let data = try ProfileFile.data(file)
        let done: ProfileStore.Installation
        do throws(ProfileStore.InstallationError) {
            done = try places.store.install(data, into: kind.kind)
        } catch {
            guard case .refused(let findings) = error else { throw Failure(error.description) }
            let report = Report(
                installed: false, profile: nil, replaced: false, findings: findings.map { FindingLine($0) })
            try output.print(report) {
                (["Nothing was installed:"] + findings.map { "  \($0)" }).joined(separator: "\n")
            }
            throw ExitCode.defects
        }
        let report = Report(
            installed: true, profile: InstalledProfileReport(done.entry), replaced: done.isReplacement,
            findings: done.findings.map { FindingLine($0) })
        try output.print(report) {
            let verb = done.isReplacement ? "Replaced" : "Installed"
            let signer = done.entry.signer.map { ", signed by “\($0)”" } ?? ""
            let line = "\(verb) “\(done.entry.profile.identifier)”\(signer): \(done.entry.source)"
            return ([line] + done.findings.map(\.description)).joined(separator: "\n")
        }
    }
}
