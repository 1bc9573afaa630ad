#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#endif

/// What is installed beside the extension's program.
enum InstalledFile {
    /// - Parameter mode: `R_OK` or `X_OK`.
    /// - Returns: the path; nil if the file is not there, or not for this user.
    static func path(_ name: String, _ mode: Int32) -> String? {
        guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            let slash = own.lastIndex(of: "/")
        else { return nil }
        let path = String(own[...slash] + name)
        return access(path, mode) == 0 ? path : nil
    }
}
