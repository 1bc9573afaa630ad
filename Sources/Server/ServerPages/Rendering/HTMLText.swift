import Mustache

/// Escapes text for HTML, for element content and for quoted attribute values alike.
///
/// It replaces Mustache's own escaping, which compares grapheme clusters: there a quotation mark followed by a
/// combining accent is one cluster, not a quotation mark, passes unescaped, and ends an attribute in the browser.
struct HTMLText: MustacheContentType {
    /// The name under which templates select it.
    static let name = "LANYARD"

    /// Makes the name known to Mustache. Must come before the first template is parsed; harmless when repeated.
    static func register() {
        MustacheContentTypes.register(HTMLText(), named: name)
    }

    func escapeText(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
