import ArgumentParser
import CommandOutput
import Directory
import Foundation
import Ground

/// Verifies an exported trail, and nothing but the file is asked.
struct ExportVerification {
    let path: String

    struct Report: Encodable {
        struct Anchor: Encodable {
            let entry: Int
            let hash: String
            let time: Date
            /// Where the authority's answer was written, if it was.
            let file: String?
        }

        let isWhole: Bool
        /// The first line that is wrong.
        let line: Int?
        let reason: String?
        let organization: String?
        let name: String?
        let first: Int?
        let last: Int?
        let previousHash: String?
        let lastHash: String?
        let anchors: [Anchor]
    }

    /// - Parameter folder: where the answers of timestamp authorities are written, for `openssl ts`.
    /// - Throws: ``Failure`` if a file cannot be read or written
    func report(repliesTo folder: String?) throws -> Report {
        guard let file = FileHandle(forReadingAtPath: path) else { throw Failure("The file \(path) cannot be read.") }
        var verifier = AuditExportVerifier()
        var defect: AuditExportVerifier.Defect?
        do {
            var rest = Data()
            while let chunk = try file.read(upToCount: 1 << 20), !chunk.isEmpty {
                rest.append(chunk)
                var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                let last = lines.removeLast()
                for line in lines { try verifier.take(String(decoding: line, as: UTF8.self)) }
                rest = Data(last)
            }
            // Each line has an end, the last one too.
            if !rest.isEmpty { try verifier.take(String(decoding: rest, as: UTF8.self)) }
            try verifier.finish()
        } catch let found as AuditExportVerifier.Defect {
            defect = found
        }
        return Report(
            isWhole: defect == nil, line: defect?.line, reason: defect?.reason,
            organization: verifier.header?.organization, name: verifier.header?.name, first: verifier.header?.first,
            last: verifier.header == nil ? nil : verifier.lastNumber, previousHash: verifier.header?.previousHash,
            lastHash: verifier.lastHash, anchors: try verifier.anchors.map { try anchor($0, folder) })
    }

    private func anchor(_ anchor: AuditExport.Anchor, _ folder: String?) throws -> Report.Anchor {
        // The verifier has taken both apart.
        let data = Data(base64Encoded: anchor.reply) ?? Data()
        let reply = try TimestampReply(data)
        let file = folder.map { "\($0)/entry-\(anchor.anchors)-\(anchor.time).tsr" }
        if let file, !FileManager.default.createFile(atPath: file, contents: data) {
            throw Failure("\(file) cannot be written: check that the folder is there and that you may write to it.")
        }
        return Report.Anchor(entry: anchor.anchors, hash: reply.digest.hexadecimal, time: reply.time, file: file)
    }
}

extension ExportVerification.Report {
    var text: String {
        if let line, let reason { return "Line \(line) \(reason)." }
        var lines = [
            "Entries \(first ?? 0) to \(last ?? 0) of \(name ?? "") are whole: none was changed, taken out or added."
        ]
        if first != 1 {
            lines.append("Before them stood an entry with the hash \(previousHash ?? "").")
        }
        if anchors.isEmpty {
            lines.append(
                "No timestamp of others is in the file: whoever has the database could have made all of it anew.")
        }
        for anchor in anchors {
            lines.append(
                """
                An authority has stamped entry \(anchor.entry) (hash \(anchor.hash)) at \(anchor.time.minuteText) UTC. Its \
                signature is for you to verify, with the certificate of the authority:
                  openssl ts -verify -digest \(anchor.hash) -in \(anchor.file ?? "answer.tsr") -CAfile authority.pem
                """)
        }
        return lines.joined(separator: "\n")
    }
}
