import Foundation

typealias ByteSink = (UnsafeRawBufferPointer) throws -> Void

/// Where the six files are written. Earlier files are replaced by ``publish()``, and stay if that is never called.
protocol RosterDestination: AnyObject {
    /// - Returns: what `body` returns.
    func write(_ name: String, _ body: (@escaping ByteSink) throws -> Int) throws -> Int
    /// Writes everything to the disk, still under temporary names.
    func complete() throws
    func publish() throws
}

final class FolderDestination: RosterDestination {
    private let path: String
    private var files: [PendingFile] = []

    init(_ path: String) throws {
        self.path = path
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw RosterImportError.cannotWrite(path: path, reason: error.localizedDescription)
        }
    }

    func write(_ name: String, _ body: (@escaping ByteSink) throws -> Int) throws -> Int {
        let file = try PendingFile("\(path)/\(name)")
        let rows = try body(file.write)
        try file.close()
        files.append(file)
        return rows
    }

    func complete() throws {}

    func publish() throws {
        for file in files { try file.publish() }
    }
}
