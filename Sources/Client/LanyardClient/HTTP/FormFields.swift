import Ground

/// The fields of a query or of a form, decoded.
package struct FormFields: Sendable {
    private let values: [String: String]

    /// Nil if a name comes twice, or an escape is broken or not UTF-8: such a form has two readings.
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
