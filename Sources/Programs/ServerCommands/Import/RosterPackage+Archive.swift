import CommandOutput
import Foundation
import RosterFiles

extension RosterPackage {
    /// The files of a roster in one piece, as they are sent to a server.
    /// - Parameter path: a folder or a ZIP archive.
    /// - Throws: ``Failure`` if they cannot be read, or are too large.
    static func archive(at path: String) throws -> Data {
        do {
            let package = try RosterPackage(at: path)
            return try package.part(at: 0, bytesMax: package.bytes)
        } catch let error as RosterImportError {
            throw Failure(error.description)
        }
    }
}
