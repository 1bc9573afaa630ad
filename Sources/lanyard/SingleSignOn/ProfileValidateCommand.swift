import ArgumentParser
import Foundation
import SingleSignOn

struct ProfileValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Find every defect of a profile, and show what will match.",
        discussion: "Exit code 2 if there are errors. Warnings alone are 0.")

    @OptionGroup var output: OutputOptions

    @Argument(help: "The profile, XML or binary.", completion: .file())
    var file: String

    @Option(
        help: "A profile that is installed already: what it claims cannot be claimed again. May be repeated.",
        completion: .file())
    var beside: [String] = []

    private struct Report: Encodable {
        struct Line: Encodable {
            let severity: String
            let keyPath: String
            let problem: String
            let remedy: String?
        }
        struct Match: Encodable {
            let matches: String
            let `extension`: String
            let asked: String
        }
        let valid: Bool
        let findings: [Line]
        let matches: [Match]
    }

    func run() throws {
        let reading = try ProfileFile.read(file, beside: try ProfileFile.readAll(beside))
        let matches = (reading.profile?.payloads ?? []).flatMap { payload in
            payload.urls.map {
                Report.Match(matches: $0.canonical, extension: payload.extensionIdentifier, asked: "before the request")
            }
                + payload.hosts.map {
                    Report.Match(
                        matches: $0.canonical, extension: payload.extensionIdentifier, asked: "after a challenge")
                }
        }
        let report = Report(
            valid: reading.errors.isEmpty,
            findings: reading.findings.map {
                .init(severity: $0.severity.rawValue, keyPath: $0.keyPath, problem: $0.problem, remedy: $0.remedy)
            },
            matches: matches)
        try output.print(report) {
            var parts = reading.findings.map(\.description)
            if !matches.isEmpty {
                parts.append(
                    Table.text(
                        ["MATCHES", "EXTENSION", "ASKED"], matches.map { [$0.matches, $0.extension, $0.asked] }))
            }
            if parts.isEmpty { parts.append("There is nothing in it that would match.") }
            return parts.joined(separator: "\n")
        }
        if !report.valid { throw ExitCode.defects }
    }
}
