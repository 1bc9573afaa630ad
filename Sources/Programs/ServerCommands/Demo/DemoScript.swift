import CommandOutput
import Foundation

/// A shell script in the demo's folder that starts a program, so that people have less to type.
enum DemoScript {
    private static let start = Data("#!/bin/sh\n".utf8)

    /// - Parameter line: the command, in shell syntax.
    /// - Returns: how to run the script.
    /// - Throws: ``Failure`` if there is another file with that name.
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
