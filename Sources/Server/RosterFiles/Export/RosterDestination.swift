import Foundation

typealias ByteSink = (UnsafeRawBufferPointer) throws -> Void

/// Where the six files go. What lay there before is replaced by ``publish()``, and stays if it is never reached.
protocol RosterDestination: AnyObject {
    /// - Returns: what `body` returns.
    func write(_ name: String, _ body: (@escaping ByteSink) throws -> Int) throws -> Int
    /// Brings everything to the disk.
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
