import Foundation

/// A program in a demo's folder that starts another one, so that what people type is short.
enum DemoScript {
    /// - Parameter line: of a shell.
    /// - Returns: how to call it.
    @discardableResult
    static func write(_ name: String, in folder: String, _ line: String) throws -> String {
        let path = "\(folder)/\(name)"
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data("#!/bin/sh\n\(line)\n".utf8), attributes: [.posixPermissions: 0o755])
        else { throw Failure("\(path) cannot be written.") }
        return path
    }
}
