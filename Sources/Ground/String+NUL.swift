extension String {
    /// Whether there is a NUL, at which text ends in C.
    package var hasNUL: Bool {
        var text = self
        // Ten times as fast as `utf8.contains(0)`, which decodes each byte from whatever kind of string this is.
        return text.withUTF8 { $0.contains(0) }
    }
}
