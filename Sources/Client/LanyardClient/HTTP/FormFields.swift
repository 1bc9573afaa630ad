import Ground

/// The fields of a query or of a form, decoded.
package struct FormFields: Sendable {
    private let values: [String: String]

    /// Nil if a name occurs twice, or an escape is malformed or not UTF-8, because such a form can be read in two ways.
    /// - Parameter encoded: `name=value&…`
    package init?(_ encoded: String) {
        guard let fields = FormEncoding.decode(encoded) else { return nil }
        var values: [String: String] = [:]
        for field in fields {
            guard values.updateValue(field.value, forKey: field.name) == nil else { return nil }
        }
        self.values = values
    }

    package subscript(name: String) -> String? { values[name] }
}
