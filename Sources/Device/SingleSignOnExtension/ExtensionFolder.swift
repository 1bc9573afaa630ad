#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import SingleSignOnWire
#if canImport(Glibc)
    import Glibc
#endif

/// Files of an extension, one folder for all callers and one for each.
///
/// An extension is unloaded when nobody asks: what it wants to keep it writes here *before* it answers.
public struct ExtensionFolder: Sendable {
    public let path: String

    /// Of this user and this extension alone.
    public static let shared = ExtensionFolder(
        path: getenv(ExtensionProtocol.dataVariable).map { String(cString: $0) } ?? ".")

    public init(path: String) { self.path = path }

    /// A folder below, for one caller. Two callers never share one.
    public func folder(of caller: String) -> ExtensionFolder {
        ExtensionFolder(path: ExtensionFolder(path: "\(path)/callers").place(of: caller))
    }

    /// - Returns: nil if there is no such file.
    public func read(_ name: String) -> Data? {
        try? Data(contentsOf: URL(filePath: place(of: name)))
    }

    /// Writes the whole file or nothing, and returns when it is on the disk. Nobody else can read it.
    /// - Throws: ``CannotWrite``
    public func write(_ data: Data, to name: String) throws {
        try WholeFile.write(data, to: place(of: name), mode: 0o600, folderMode: 0o700)
    }

    public typealias CannotWrite = CannotWriteFile

    /// Nothing happens if it is not there.
    public func remove(_ name: String) {
        unlink(place(of: name))
    }

    /// A name of a file ends at 255 bytes: a longer one becomes folders, and what ends with a plus goes on below.
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
