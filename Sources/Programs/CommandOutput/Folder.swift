#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

package enum Folder {
    /// Creates a folder and its parents, if they do not exist.
    /// - Throws: ``Failure`` with a message for the operator.
    package static func make(_ path: String) throws {
        guard !path.isEmpty else { throw Failure("The folder has no name.") }
        var isFolder = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
            guard isFolder else { throw Failure("\(path) is a file, and no folder. Name another one.") }
            return
        }
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if !FileManager.default.fileExists(atPath: parent) { try make(parent) }
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
            throw Failure("The folder \(path) cannot be made: \(String(cString: strerror(errno))).")
        }
    }
}
