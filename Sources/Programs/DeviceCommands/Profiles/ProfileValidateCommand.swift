import ArgumentParser
import CommandOutput
import SingleSignOn

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct ProfileValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Find every defect of a profile, and show what will match.",
        discussion: "Exit code 2 if there are errors. Warnings alone are 0.")

    @OptionGroup var output: OutputOptions

    @Argument(help: "The profile: XML, binary or signed.", completion: .file())
    var file: String

    @Option(
        help: """
            A certificate, PEM: it is an error if the profile is not signed by it, or by one that it has made. May be \
            repeated: one of them is enough.
            """,
        completion: .file())
    var signer: [String] = []

    @Option(
        help: "A profile that is installed already: what it claims cannot be claimed again. May be repeated.",
        completion: .file())
    var beside: [String] = []

    private struct Report: Encodable {
        struct Match: Encodable {
            let matches: String
            let `extension`: String
            let when: String
        }
        let valid: Bool
        let signer: String?
        let findings: [FindingLine]
        let matches: [Match]
    }

    func run() throws {
        let reading = try ProfileFile.read(file, signers: signer, beside: try ProfileFile.readAll(beside))
        let matches = (reading.profile?.payloads ?? []).flatMap { payload in
            payload.urls.map {
                Report.Match(matches: $0.canonical, extension: payload.extensionIdentifier, when: "before the request")
            }
                + payload.hosts.map {
                    Report.Match(
                        matches: $0.canonical, extension: payload.extensionIdentifier, when: "after a challenge")
                }
        }
        let report = Report(
            valid: reading.errors.isEmpty,
            signer: reading.signer,
            findings: reading.findings.map { FindingLine($0) },
            matches: matches)
        try output.print(report) {
            var parts = reading.findings.map(\.description)
            if let signer = reading.signer { parts.append("Signed by “\(signer)”.") }
            if !matches.isEmpty {
                parts.append(
                    Table.text(
                        ["MATCHES", "EXTENSION", "ASKED"], matches.map { [$0.matches, $0.extension, $0.when] }))
            }
            if parts.isEmpty { parts.append("There is nothing in it that would match.") }
            return parts.joined(separator: "\n")
        }
        if !report.valid { throw ExitCode.defects }
    }
}
