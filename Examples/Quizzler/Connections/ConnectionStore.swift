import Foundation

/// All that Quizzler knows, in memory and in one JSON file.
///
/// A change is on disk before it counts. The file is replaced as a whole, so that a crash leaves the old or the new
/// one.
actor ConnectionStore {
    struct Contents: Codable, Sendable {
        /// By organization id.
        var connections: [String: Connection] = [:]
        /// Newest first.
        var notices: [Notice] = []
        /// When each notification came, by its id.
        var seenNotifications: [String: Date] = [:]

        private static let noticesMax = 20

        /// Deletes everything about an organization, and leaves a notice. Nothing happens if this connection has ended
        /// already, or another one has taken its place.
        /// - Returns: The notice.
        @discardableResult
        mutating func end(_ connection: Connection, at time: Date, notice message: String) -> Notice? {
            guard connections[connection.organizationID]?.id == connection.id else { return nil }
            connections[connection.organizationID] = nil
            let notice = Notice(id: UUID(), at: time, message: message)
            notices = Array(([notice] + notices).prefix(Self.noticesMax))
            return notice
        }
    }

    private let file: URL
    private(set) var contents: Contents

    /// Makes the folder if there is none. It, and the file in it, are for the owner alone: refresh tokens are in there.
    init(folder: URL) throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        file = folder.appendingPathComponent("quizzler.json")
        if FileManager.default.fileExists(atPath: file.path) {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            contents = try decoder.decode(Contents.self, from: Data(contentsOf: file))
        } else {
            contents = Contents()
        }
    }

    /// Connections by name of the organization.
    var connections: [Connection] {
        contents.connections.values.sorted {
            inReadingOrder($0.organizationName, $1.organizationName, then: $0.organizationID < $1.organizationID)
        }
    }

    func connection(_ organizationID: String) -> Connection? {
        contents.connections[organizationID]
    }

    /// Changes the contents, or nothing at all if the change or the writing fails.
    @discardableResult
    func update<Result: Sendable>(_ change: @Sendable (inout Contents) throws -> Result) throws -> Result {
        var changed = contents
        let result = try change(&changed)
        try write(changed)
        contents = changed
        return result
    }

    private func write(_ contents: Contents) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        let data = try encoder.encode(contents)

        let draft = file.appendingPathExtension("new")
        guard FileManager.default.createFile(atPath: draft.path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: draft.path]) }
        let handle = try FileHandle(forWritingTo: draft)
        defer { try? handle.close() }
        try handle.write(contentsOf: data)
        try handle.synchronize()
        guard rename(draft.path, file.path) == 0 else { throw POSIXError.latest }
        try synchronizeFolder()
    }

    /// Without this, a power cut could bring the old file back.
    private func synchronizeFolder() throws {
        let folder = open(file.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY)
        guard folder >= 0 else { throw POSIXError.latest }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw POSIXError.latest }
    }
}

extension POSIXError {
    /// What the system call before this one said.
    fileprivate static var latest: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
