import Ground

/// The parameters of a request, from a query or a form.
package struct RequestParameters: Sendable {
    private let values: [String: [String]]

    package init(_ fields: [FormField]) {
        values = Dictionary(grouping: fields, by: \.name).mapValues { $0.map(\.value) }
    }

    /// The value of a parameter; nil if it is absent or empty, which is the same according to RFC 6749 §3.1.
    /// - Throws: ``OAuthError`` `invalid_request` if it is there twice (RFC 6749 §3.1) or contains a NUL byte.
    package subscript(name: String) -> String? {
        get throws {
            guard let all = values[name] else { return nil }
            guard all.count == 1 else { throw OAuthError(.invalidRequest, "\(name) is there \(all.count) times") }
            // No parameter of OAuth may contain a NUL (RFC 6749 appendix A), and C strings in lower layers end at one.
            guard !all[0].utf8.contains(0) else { throw OAuthError(.invalidRequest, "\(name) holds a NUL byte") }
            return all[0].isEmpty ? nil : all[0]
        }
    }

    /// All values of a parameter that may be there several times, such as the boxes that are ticked.
    package func all(_ name: String) -> [String] { values[name] ?? [] }

    /// - Throws: ``OAuthError`` `invalid_request` if any parameter is there twice, even one that is never read.
    package func requireNoRepeats() throws {
        for name in values.keys.sorted() { _ = try self[name] }
    }

    package var names: Set<String> { Set(values.keys) }
}
