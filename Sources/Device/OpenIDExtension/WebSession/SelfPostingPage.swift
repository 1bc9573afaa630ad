import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The answer that is a form: a small page of our own that posts the provider's fields to the relying party.
///
/// docs/specifications/extensible-single-sign-on.md, 16.7.
struct SelfPostingPage: Sendable {
    static let bytesMax = 128 << 10

    let action: URL
    let fields: [FormField]

    /// nil if it is larger than a browser takes.
    var body: Data? {
        let inputs = fields.map { field in
            "<input type=\"hidden\" name=\"\(escape(field.name))\" value=\"\(escape(field.value))\">\n"
        }.joined()
        // The method of the prototype: a field may be called “submit”.
        let page = """
            <!doctype html>
            <meta charset="utf-8">
            <title>Signing in</title>
            <form method="post" action="\(escape(action.absoluteString))">
            \(inputs)<noscript><button>Continue</button></noscript>
            </form>
            <script>HTMLFormElement.prototype.submit.call(document.forms[0])</script>

            """
        let data = Data(page.utf8)
        return data.count <= Self.bytesMax ? data : nil
    }

    private func escape(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\r": escaped += "&#13;"
            case "\n": escaped += "&#10;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
