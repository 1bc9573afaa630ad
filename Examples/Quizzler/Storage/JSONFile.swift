import Foundation

/// A file that is replaced as a whole, so that a crash leaves the old or the new one. For the owner alone: names and
/// refresh tokens are in there.
struct JSONFile: Sendable {
    let url: URL

    /// Makes the folder if there is none.
    init(_ name: String, in folder: URL) throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        url = folder.appendingPathComponent(name)
    }

    /// Nil if there is no file yet.
    func read<Contents: Decodable>(_ type: Contents.Type) throws -> Contents? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: Data(contentsOf: url))
    }

    /// Returns when the contents are on disk.
    func write(_ contents: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        let data = try encoder.encode(contents)

        let draft = url.appendingPathExtension("new")
        guard FileManager.default.createFile(atPath: draft.path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: draft.path]) }
        let handle = try FileHandle(forWritingTo: draft)
        defer { try? handle.close() }
        try handle.write(contentsOf: data)
        try handle.synchronize()
        guard rename(draft.path, url.path) == 0 else { throw POSIXError.latest }
        try synchronizeFolder()
    }

    /// Without this, a power cut could bring the old file back.
    private func synchronizeFolder() throws {
        let folder = open(url.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY)
        guard folder >= 0 else { throw POSIXError.latest }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw POSIXError.latest }
    }
}

extension POSIXError {
    /// What the system call before this one said.
    fileprivate static var latest: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
