#if canImport(Glibc)
    import Glibc
#endif

/// What is installed beside the extension's program.
enum InstalledFile {
    /// - Parameter mode: `R_OK` or `X_OK`.
    /// - Returns: the path; nil if the file is not there, or not for this user.
    static func path(_ name: String, _ mode: Int32) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        guard readlink("/proc/self/exe", &buffer, buffer.count - 1) > 0 else { return nil }
        let own = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard let slash = own.lastIndex(of: "/") else { return nil }
        let path = String(own[...slash] + name)
        return access(path, mode) == 0 ? path : nil
    }
}
