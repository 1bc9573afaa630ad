import Foundation

/// A JSON file that is replaced atomically, so that after a crash it is the old or the new one. Only its owner can read
/// it, because it has names and refresh tokens.
struct JSONFile: Sendable {
    let url: URL

    /// Creates the folder if it does not exist.
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

    /// Flushes the folder to disk. Otherwise the old file could be back after a power failure.
    private func synchronizeFolder() throws {
        let folder = open(url.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY)
        guard folder >= 0 else { throw POSIXError.latest }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw POSIXError.latest }
    }
}

extension POSIXError {
    /// The error of the last system call.
    fileprivate static var latest: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
