import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An answer that a browser has to post: a page that submits the provider's fields to the relying party.
///
/// docs/specifications/extensible-single-sign-on.md, 16.7.
struct SelfPostingPage: Sendable {
    static let bytesMax = 128 << 10

    let action: URL
    let fields: [FormField]

    /// The page's HTML; nil if it is larger than ``bytesMax``.
    var body: Data? {
        let inputs = fields.map { field in
            "<input type=\"hidden\" name=\"\(escape(field.name))\" value=\"\(escape(field.value))\">\n"
        }.joined()
        // A field called “submit” would hide the form's own method, so the prototype's is called.
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
