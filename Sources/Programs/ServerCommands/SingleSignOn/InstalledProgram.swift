import CommandOutput
import Dispatch
import Foundation
import Synchronization

/// Programs that are installed in the same folder as this one.
enum InstalledProgram {
    /// The path that the program would have, whether or not it exists.
    static func pathBesideThis(_ name: String) -> String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent(name).path
    }

    /// - Throws: ``Failure`` if it does not exist.
    static func path(of name: String) throws -> String {
        let path = pathBesideThis(name)
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure("There is no program \(path). Build it with `swift build --product \(name)`.")
        }
        return path
    }

    /// Runs a program to its end, without input.
    /// - Parameter environment: variables in addition to this process's own.
    /// - Returns: its standard output.
    /// - Throws: ``Failure`` with its standard error, if its exit status is not 0.
    @discardableResult
    static func run(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // Reads both pipes at the same time, because a program blocks when one of them is full.
        let complaint = Mutex(Data())
        let reading = DispatchGroup()
        DispatchQueue.global().async(group: reading) {
            let data = errors.fileHandleForReading.readDataToEndOfFile()
            complaint.withLock { $0 = data }
        }
        let written = output.fileHandleForReading.readDataToEndOfFile()
        reading.wait()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let words = ([URL(fileURLWithPath: path).lastPathComponent] + arguments.prefix(2)).joined(separator: " ")
            throw Failure("\(words) failed:\n" + String(decoding: complaint.withLock { $0 }, as: UTF8.self))
        }
        return written
    }
}
