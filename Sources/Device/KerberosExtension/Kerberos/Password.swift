#if canImport(Glibc)
    import Glibc
#endif

/// A password whose bytes are overwritten when nobody needs it any more. The text of the form that it came from cannot be
/// overwritten; it is freed soon, and the process hides its memory from other programs.
final class Password: Sendable {
    /// Written in `init` alone.
    private nonisolated(unsafe) let bytes: UnsafeMutablePointer<CChar>
    private let count: Int

    init(_ text: String) {
        let characters = Array(text.utf8CString)
        bytes = .allocate(capacity: characters.count)
        bytes.initialize(from: characters, count: characters.count)
        count = characters.count
    }

    deinit {
        explicit_bzero(bytes, count)
        bytes.deallocate()
    }

    /// In bytes, without the zero.
    var length: Int { count - 1 }

    /// - Parameter body: gets the password as C has it, ended by a zero.
    func withCString<Value>(_ body: (UnsafePointer<CChar>) throws -> Value) rethrows -> Value {
        try withExtendedLifetime(self) { try body(UnsafePointer(bytes)) }
    }
}
