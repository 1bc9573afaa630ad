import Administration
import ArgumentParser
import CommandOutput
import Directory
import Foundation

struct AuditExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the trail, or a part of it, into a file that proves that nothing in it was changed.",
        discussion: """
            The file has one JSON object a line. `lanyard audit verify FILE` verifies it without this server's data, and \
            so can other programs, because the form is documented.

            For example:
              lanyard audit export --from 2026-08-01 --until 2027-08-01 --out trail.jsonl
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Option(help: "The file, which must not be there yet.", completion: .file())
    var out: String

    @Option(help: "From the first entry of this time on, such as 2026-08-01.")
    var from: PointInTime?

    @Option(help: "Up to the last entry before this time.")
    var until: PointInTime?

    @Flag(help: "Export the chain of the server itself.")
    var ofServer = false

    private struct Report: Encodable {
        let file: String
        let organization: String?
        let first: Int
        let last: Int
        let anchors: Int
    }

    func validate() throws {
        if ofServer, organization.organization != nil {
            throw ValidationError("--of-server exports the chain of no organization: leave out --org.")
        }
        if let from, let until, from.date >= until.date { throw ValidationError("--from must be before --until.") }
    }

    func run() async throws {
        let report = try await Deployment.administrate(global) { try await write(from: $0) }
        try output.print(report) {
            """
            Wrote entries \(report.first) to \(report.last) to \(report.file). `lanyard audit verify \(report.file)` \
            verifies it anywhere.
            """
        }
    }

    /// Writes page by page into a file beside the one that is asked for, which appears when it is whole.
    private func write(from administrator: any Administrating) async throws -> Report {
        guard !FileManager.default.fileExists(atPath: out) else {
            throw Failure("\(out) is there already. Choose another name, or delete it first.")
        }
        let partial = out + ".partial"
        guard FileManager.default.createFile(atPath: partial, contents: nil),
            let file = FileHandle(forWritingAtPath: partial)
        else {
            throw Failure("\(partial) cannot be written: check that the folder is there and that you may write to it.")
        }
        do {
            let report = try await write(from: administrator, to: file)
            try file.close()
            try FileManager.default.moveItem(atPath: partial, toPath: out)
            return report
        } catch {
            try? FileManager.default.removeItem(atPath: partial)
            throw error
        }
    }

    private func write(from administrator: any Administrating, to file: FileHandle) async throws -> Report {
        func page(after: Int? = nil, through: Int? = nil) async throws -> ExportAudit.Answer {
            try await administrator.ask(
                ExportAudit(
                    from: after == nil ? from?.date : nil, until: after == nil ? until?.date : nil, after: after,
                    through: through, ofServer: ofServer ? true : nil, limit: 5_000),
                in: organization.reference)
        }
        func write(_ line: String) throws { try file.write(contentsOf: Data((line + "\n").utf8)) }
        var part = try await page()
        let first = part.entries.first?.number ?? 1
        let header = try AuditExport.line(
            AuditExport.Header(
                organization: part.organization, name: part.name, first: first, previousHash: part.previousHash))
        try write(header)
        var (entries, anchors): (Int, [String]) = (0, [])
        while true {
            let stamped = Dictionary(grouping: part.anchors, by: \.anchors)
            for entry in part.entries {
                try write(try AuditExport.line(entry))
                entries += 1
                for anchor in stamped[entry.number] ?? [] {
                    anchors.append(try AuditExport.line(anchor))
                    try write(anchors[anchors.count - 1])
                }
            }
            guard let next = part.next else { break }
            part = try await page(after: next, through: part.last)
        }
        try write(try AuditExport.line(AuditExport.End(entries: entries, anchors: anchors, header: header)))
        return Report(
            file: out, organization: part.organization, first: first, last: first + entries - 1,
            anchors: anchors.count)
    }
}
