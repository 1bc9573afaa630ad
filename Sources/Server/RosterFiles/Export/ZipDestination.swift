import Foundation

/// A ZIP archive that appears under its name when it is complete.
final class ZipDestination: RosterDestination {
    private let file: PendingFile
    private let archive: ZipWriter

    init(_ path: String) throws {
        let file = try PendingFile(path)
        self.file = file
        archive = try ZipWriter(path) { try file.write($0) }
    }

    func write(_ name: String, _ body: (@escaping ByteSink) throws -> Int) throws -> Int {
        try archive.write(name, body)
    }

    func complete() throws {
        try archive.close()
        try file.close()
    }

    func publish() throws { try file.publish() }
}
