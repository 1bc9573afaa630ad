import Administration
import CommandOutput
import Directory
import Foundation

/// Writes an audit trail, or a part of it, into a file that proves by itself that nothing in it was changed.
struct AuditExportFile {
    let organization: OrganizationReference
    /// From the first entry of this time on; nil for all.
    var from: Date?
    /// Up to the last entry before this time; nil for all.
    var until: Date?
    /// Whether it is the trail of the server itself.
    var ofServer = false

    struct Report: Encodable {
        let file: String
        let organization: String?
        let first: Int
        let last: Int
        let anchors: Int
    }

    /// Writes page by page into a file beside the one that is asked for, which appears when it is whole.
    /// - Throws: ``Failure`` if the file is there already, or cannot be written; the errors of `audit.export`
    func write(from administrator: any Administrating, to out: String) async throws -> Report {
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
            let report = try await write(from: administrator, to: file, called: out)
            try file.close()
            try FileManager.default.moveItem(atPath: partial, toPath: out)
            return report
        } catch {
            try? FileManager.default.removeItem(atPath: partial)
            throw error
        }
    }

    private func write(
        from administrator: any Administrating, to file: FileHandle, called out: String
    ) async throws -> Report {
        func page(after: Int? = nil, through: Int? = nil) async throws -> ExportAudit.Answer {
            try await administrator.ask(
                ExportAudit(
                    from: after == nil ? from : nil, until: after == nil ? until : nil, after: after,
                    through: through, ofServer: ofServer ? true : nil, limit: 5_000),
                in: organization)
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
