import Ground

/// Names and values for a query string or a form body, in order.
struct FormParameters: ExpressibleByDictionaryLiteral {
    private var fields: [FormField]

    /// Leaves out parameters without a value.
    init(dictionaryLiteral elements: (String, String?)...) {
        fields = elements.compactMap { name, value in value.map { FormField(name, $0) } }
    }

    /// `name=value&…`. A space becomes `%20`, which both places understand; `+` does not everywhere.
    var encoded: String { FormEncoding.encode(fields) }

    /// The URL with these parameters as its query, unchanged if there are none.
    func appended(to url: String) -> String {
        fields.isEmpty ? url : "\(url)?\(encoded)"
    }
}
