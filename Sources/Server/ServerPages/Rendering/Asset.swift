/// A file that pages refer to. Its address changes with its content, so it may be cached for ever.
package struct Asset: Sendable {
    /// For example "/assets/lanyard-0f3a9c5d7e112b48.css".
    package let path: String
    package let contentType: String
    package let bytes: [UInt8]

    init(fileExtension: String, contentType: String, bytes: [UInt8]) {
        let hash = String(Hash.fnv1a(bytes), radix: 16)
        let padded = String(repeating: "0", count: 16 - hash.count) + hash
        self.path = "/assets/lanyard-\(padded).\(fileExtension)"
        self.contentType = contentType
        self.bytes = bytes
    }
}
