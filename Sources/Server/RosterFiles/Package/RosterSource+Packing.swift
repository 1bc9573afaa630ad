import Directory
import Foundation

extension RosterSource {
    /// Fast, and still a sixth of the size of the files.
    private static let level = 1

    /// Hands over the files as a ZIP archive.
    /// - Parameters:
    ///   - kind: of the organization, which says what files there are.
    ///   - digest: that of the files when they were read; nil to not compare.
    /// - Throws: ``UnreadableFile``, also if the files are others by now
    func pack(to sink: @escaping ByteSink, of kind: Organization.Kind, _ digest: String?) throws {
        switch self {
        // As it is, so that its reader sees whatever may be wrong with it.
        case .archive(let archive) where digest == nil: try archive.copy(to: sink)
        // What is kept must be the files of the import, and nothing else that an archive may have.
        case .archive, .folder, .file:
            let archive = try ZipWriter("The archive", level: Self.level, sink)
            var packed = RosterDigest()
            for file in RosterFile.files(of: kind) {
                guard let stream = try stream(file) else {
                    packed.end(file)
                    continue
                }
                try archive.write(file.name) { entry in
                    try stream.forEachPiece { bytes in
                        packed.update(bytes)
                        try entry(bytes)
                    }
                }
                packed.end(file)
            }
            try archive.close()
            guard digest == nil || digest == packed.finalized() else {
                throw UnreadableFile(
                    code: .unreadableFile, message: "The files have changed while they were read.",
                    remedy: "Import them again when nobody writes to them any more.")
            }
        }
    }
}
