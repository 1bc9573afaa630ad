import Foundation
import SingleSignOnExtension

extension ExtensionFolder {
    /// A new folder among the system's temporary files.
    static func temporary() -> ExtensionFolder {
        ExtensionFolder(path: NSTemporaryDirectory() + "/openid-extension-tests.\(UUID().uuidString)")
    }
}

struct Failed: Error { let output: String }

/// Runs a program that must succeed; returns its standard output.
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
