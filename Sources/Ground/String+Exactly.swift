extension String {
    /// Byte by byte, as protocols compare addresses and ids (RFC 3986 §6.2.1, RFC 7519 §4.1). `==` takes texts for the
    /// same that are canonically equivalent: an address with a Kelvin sign (U+212A) would pass for the registered one
    /// with a K.
    package func isExactly(_ other: String) -> Bool {
        // Not generic: each request compares several, and other modules would look up the generic one's types each time.
        utf8.elementsEqual(other.utf8)
    }
}

extension Sequence<String> {
    /// Byte by byte.
    package func containsExactly(_ text: String) -> Bool { contains { $0.isExactly(text) } }
}
