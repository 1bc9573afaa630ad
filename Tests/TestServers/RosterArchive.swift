import Foundation
import RosterFiles

/// Roster files, as the administration API takes them.
enum RosterArchive {
    /// A ZIP archive with the files, in base64.
    /// - Parameter files: their content by name.
    static func packed(_ files: [String: String]) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("roster-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files { try Data(text.utf8).write(to: folder.appendingPathComponent(name)) }
        let package = try RosterPackage(at: folder.path)
        return try package.part(at: 0, bytesMax: package.bytes).base64EncodedString()
    }
}
