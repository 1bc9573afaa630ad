import Ground

/// The parameters of a request, from a query or a form.
package struct RequestParameters: Sendable {
    /// In order of their names; those with the same name in the order in which they were sent.
    private let fields: [FormField]
    /// Whether any value has a NUL byte, which is looked for once.
    private let hasNUL: Bool

    package init(_ fields: [FormField]) {
        self.fields = fields.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
            .map(\.element)
        hasNUL = fields.contains { $0.value.hasNUL }
    }

    /// The value of a parameter; nil if it is absent or empty, which is the same according to RFC 6749 §3.1.
    /// - Throws: ``OAuthError`` `invalid_request` if it is there twice (RFC 6749 §3.1) or contains a NUL byte.
    package subscript(name: String) -> String? {
        get throws {
            let found = fields(called: name)
            guard let value = found.first?.value else { return nil }
            guard found.count == 1 else { throw OAuthError(.invalidRequest, "\(name) is there \(found.count) times") }
            // No parameter of OAuth may contain a NUL (RFC 6749 appendix A), and C strings in lower layers end at one.
            guard !hasNUL || !value.hasNUL else {
                throw OAuthError(.invalidRequest, "\(name) holds a NUL byte")
            }
            return value.isEmpty ? nil : value
        }
    }

    /// All values of a parameter that may be there several times, such as the boxes that are ticked.
    package func all(_ name: String) -> [String] { fields(called: name).map(\.value) }

    /// - Throws: ``OAuthError`` `invalid_request` if any parameter is there twice, even one that is never read.
    package func requireNoRepeats() throws {
        for field in fields { _ = try self[field.name] }
    }

    package var names: Set<String> { Set(fields.map(\.name)) }

    private func fields(called name: String) -> ArraySlice<FormField> {
        var (low, high) = (0, fields.count)
        while low < high {
            let middle = (low + high) / 2
            if fields[middle].name < name { low = middle + 1 } else { high = middle }
        }
        var end = low
        while end < fields.count, fields[end].name == name { end += 1 }
        return fields[low..<end]
    }
}
