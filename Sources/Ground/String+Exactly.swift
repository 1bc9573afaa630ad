extension String {
    /// Whether the UTF-8 bytes are equal, as protocols compare URLs and identifiers (RFC 3986 §6.2.1, RFC 7519 §4.1).
    /// `==` compares by canonical equivalence: a URL with a Kelvin sign (U+212A) would equal the registered one with a
    /// K.
    package func isExactly(_ other: String) -> Bool {
        // Not generic, because this is called several times for each request and an unspecialized generic is slower
        // across modules.
        utf8.elementsEqual(other.utf8)
    }
}

extension Sequence<String> {
    /// Whether an element has the same UTF-8 bytes as `text`.
    package func containsExactly(_ text: String) -> Bool { contains { $0.isExactly(text) } }
}
