import CommandOutput
import Dispatch
import Foundation
import Synchronization

/// Programs that are installed in the same folder as this one.
enum InstalledProgram {
    /// Where the program would be; whether it is there was not looked at.
    static func pathBesideThis(_ name: String) -> String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent(name).path
    }

    /// - Throws: ``Failure`` if it is not there.
    static func path(of name: String) throws -> String {
        let path = pathBesideThis(name)
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure("There is no program \(path). Build it with `swift build --product \(name)`.")
        }
        return path
    }

    /// Runs a program to its end, without input.
    /// - Parameter environment: beside this process's own.
    /// - Returns: what it has written to its standard output.
    /// - Throws: ``Failure`` with what it has written to its standard error, if it ends with another status than 0.
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
        // A program that has filled one pipe waits until somebody reads it: both are read at once.
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
