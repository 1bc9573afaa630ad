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
        ExtensionFolder(path: "\(path)/callers/\(Self.fileName(caller))")
    }

    /// - Returns: nil if there is no such file.
    public func read(_ name: String) -> Data? {
        try? Data(contentsOf: URL(filePath: "\(path)/\(Self.fileName(name))"))
    }

    /// Writes the whole file or nothing, and returns when it is on the disk. Nobody else can read it.
    public func write(_ data: Data, to name: String) throws {
        let file = "\(path)/\(Self.fileName(name))"
        try Self.makeFolder(String(file[..<(file.lastIndex(of: "/") ?? file.startIndex)]))
        let draft = "\(path)/.draft-\(getpid())-\(UInt64.random(in: .min ... .max))"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CannotWrite(path: draft, errno: errno) }
        let isWritten = data.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = Glibc.write(descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                sent += count
            }
            return fsync(descriptor) == 0
        }
        let reason = errno
        close(descriptor)
        guard isWritten, rename(draft, file) == 0 else {
            let reason = isWritten ? errno : reason
            unlink(draft)
            throw CannotWrite(path: file, errno: reason)
        }
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
    }

    /// Nothing happens if it is not there.
    public func remove(_ name: String) {
        unlink("\(path)/\(Self.fileName(name))")
    }

    public struct CannotWrite: Error, CustomStringConvertible {
        public let path: String
        public let errno: Int32

        public var description: String { "\(path) cannot be written: \(String(cString: strerror(errno)))" }
    }

    private static func makeFolder(_ path: String) throws {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw CannotWrite(path: path, errno: errno)
        }
        try makeFolder(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw CannotWrite(path: path, errno: errno) }
    }

    /// A name that leads nowhere else, and differs for different names: everything but letters, digits, `-` and `_` is
    /// written as its code, and so is a leading dot.
    static func fileName(_ name: String) -> String {
        var text = ""
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "_"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: ".") where !text.isEmpty: text += "."
            default: text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        // A name of a file ends at 255 bytes: a longer one becomes folders, and what ends with a plus goes on below.
        var parts: [Substring] = []
        var rest = text[...]
        while rest.utf8.count > 200 {
            parts.append(rest.prefix(200))
            rest = rest.dropFirst(200)
        }
        return (parts.map { $0 + "+" } + [rest]).joined(separator: "/")
    }
}
