import Foundation
import SingleSignOnExtension

extension ExtensionFolder {
    /// A path at which there is nothing yet. The test is to call ``remove()`` when it ends.
    static func temporary() -> ExtensionFolder {
        ExtensionFolder(path: NSTemporaryDirectory() + "/openid-extension-tests.\(UUID().uuidString)")
    }

    /// Removes the folder with all that is in it, if it was made.
    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

struct Failed: Error { let output: String }

/// Runs a program found in PATH, and returns what it writes to both outputs.
/// - Throws: ``Failed`` if it exits with another status than 0.
func run(_ arguments: String...) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failed(output: output) }
    return output
}
