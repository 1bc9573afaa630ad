import Administration
import Directory
import Foundation
import RosterFiles

extension Upload {
    /// How long a form with the files of a roster may be, in bytes. CSV files are packed while they arrive.
    static let rosterBytesMax = 512 << 20

    /// The files of a roster, as one archive.
    /// - Throws: ``Upload/Failure``, `OperationFailure` if they are not such files
    func roster(of kind: Organization.Kind) async throws -> Data {
        let roster = try RosterUpload(of: kind, bytesMax: ImportRoster.archiveBytesMax)
        do {
            try await files(begin: roster.begin, append: roster.append, end: roster.end)
            let package = try roster.finish()
            return try package.part(at: 0, bytesMax: package.bytes)
        } catch let refusal as RosterUpload.Refusal {
            throw OperationFailure(.invalid, refusal.text(for: kind))
        }
    }

    /// The bytes of the one file that follows.
    func file(bytesMax: Int) async throws -> Data {
        var data = Data()
        var count = 0
        try await files(
            begin: { _ in
                count += 1
                guard count == 1 else { throw Failure.malformed(reason: "has more than one file") }
            },
            append: { bytes in
                guard data.count + bytes.count <= bytesMax else { throw Failure.tooLarge(bytesMax: bytesMax) }
                data.append(contentsOf: bytes)
            }, end: {})
        guard count == 1 else { throw Failure.malformed(reason: "has no file") }
        return data
    }
}

extension RosterUpload.Refusal {
    fileprivate func text(for kind: Organization.Kind) -> String {
        switch self {
        case .foreign(let name):
            kind == .school
                ? """
                “\(name)” is none of the files that an import takes: a ZIP archive, or locations.csv, students.csv, \
                staff.csv, courses.csv, classes.csv and rosters.csv. Choose those alone.
                """
                : "“\(name)” is neither a CSV file nor a ZIP archive. Choose staff.csv."
        case .twice(let name): "\(name) came twice. Choose it once."
        case .mixed: "Choose either one ZIP archive or the CSV files, and not both."
        case .tooLarge(let bytesMax):
            """
            The archive is larger than \(bytesMax >> 20) MB. Whoever runs the server can import it there: see “lanyard \
            import”.
            """
        case .none: "No file was chosen."
        }
    }
}
