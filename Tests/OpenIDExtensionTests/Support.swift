import Foundation
import SingleSignOnExtension

extension ExtensionFolder {
    /// A new one, which goes with the system's temporary files.
    static func temporary() -> ExtensionFolder {
        ExtensionFolder(path: NSTemporaryDirectory() + "/openid-extension-tests.\(UUID().uuidString)")
    }
}

struct Failed: Error { let output: String }

/// What a program writes, when it succeeds.
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
