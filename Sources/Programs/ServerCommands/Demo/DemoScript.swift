import CommandOutput
import Foundation

/// A program in a demo's folder that starts another one, so that what people type is short.
enum DemoScript {
    private static let start = Data("#!/bin/sh\n".utf8)

    /// - Parameter line: of a shell.
    /// - Returns: how to call it.
    /// - Throws: ``Failure`` if there is something else under that name.
    @discardableResult
    static func write(_ name: String, in folder: String, _ line: String) throws -> String {
        let path = "\(folder)/\(name)"
        if let file = FileHandle(forReadingAtPath: path), (try? file.read(upToCount: start.count)) != start {
            throw Failure("\(path) is something else, and no demo's. Name another folder with --folder.")
        }
        guard
            FileManager.default.createFile(
                atPath: path, contents: start + Data("\(line)\n".utf8), attributes: [.posixPermissions: 0o755])
        else { throw Failure("\(path) cannot be written.") }
        return path
    }
}
