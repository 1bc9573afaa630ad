#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import SingleSignOnWire
#if canImport(Glibc)
    import Glibc
#endif

/// Files of an extension: one folder for all callers, and one for each caller.
///
/// An extension is unloaded when there are no requests, so it must write what it wants to keep *before* it answers.
///
/// A file can have any text as its name, also an empty or a long one and one with slashes: what a file system would not
/// take is escaped, so that different names are different files, and none leads out of the folder.
public struct ExtensionFolder: Sendable {
    /// The absolute path of the folder.
    public let path: String

    /// The folder of this user and this extension.
    public static let shared = ExtensionFolder(
        path: getenv(ExtensionProtocol.dataVariable).map { String(cString: $0) } ?? ".")

    public init(path: String) { self.path = path }

    /// The folder of one caller. Two callers never share one.
    /// - Parameter caller: any text that names the caller, such as its bundle identifier.
    public func folder(of caller: String) -> ExtensionFolder {
        ExtensionFolder(path: ExtensionFolder(path: "\(path)/callers").place(of: caller))
    }

    /// The whole content of a file.
    /// - Returns: nil if there is no such file, or it cannot be read.
    public func read(_ name: String) -> Data? {
        try? Data(contentsOf: URL(filePath: place(of: name)))
    }

    /// Writes the whole file or nothing, and returns when it is on the disk. Only the user can read it.
    /// - Throws: ``CannotWrite``
    public func write(_ data: Data, to name: String) throws {
        try WholeFile.write(data, to: place(of: name), mode: 0o600, folderMode: 0o700)
    }

    public typealias CannotWrite = CannotWriteFile

    /// Removes the file, if it exists. What cannot be removed stays, without an error.
    public func remove(_ name: String) {
        unlink(place(of: name))
    }

    /// A file name has at most 255 bytes. A longer one is split into nested folders, whose names end with a plus.
    private func place(of name: String) -> String {
        var parts: [Substring] = []
        var rest = name.fileName[...]
        while rest.utf8.count > 200 {
            parts.append(rest.prefix(200))
            rest = rest.dropFirst(200)
        }
        return "\(path)/" + (parts.map { $0 + "+" } + [rest]).joined(separator: "/")
    }
}
