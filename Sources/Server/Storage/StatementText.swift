/// The text of a statement, by which a connection finds what it has prepared for it.
///
/// Hashing takes the length and a few bytes, because texts are hundreds of bytes long and hardly two of them are of one length. Where both
/// sides are the same literal, Swift compares their addresses, so that a statement that runs again is found without its text being read.
struct StatementText: Hashable {
    private let text: String

    init(_ text: String) { self.text = text }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { bytes in
            hasher.combine(bytes.count)
            guard bytes.count >= 8 else { return }
            let bytes = UnsafeRawBufferPointer(bytes)
            hasher.combine(bytes.loadUnaligned(fromByteOffset: bytes.count / 2 - 4, as: UInt64.self))
            hasher.combine(bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self))
        }
    }
}
