import Ground
import SingleSignOnWire
import WebPages

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The one form of a small page that submits itself: what an extension answers to post tokens, such as a SAML response,
/// to a site. docs/specifications/extensible-single-sign-on.md, 16.7.
struct SelfPostingForm: Equatable, Sendable {
    let action: URL
    let isPost: Bool
    let fields: [FormField]

    /// - Returns: nil if the page is no such form: if it has several forms, a field for a person to fill in, or nothing
    ///   that submits it.
    init?(page: Data, url: URL) {
        guard page.contains(Data(".submit(".utf8)), let root = HTMLElement(page: page, charset: "utf-8"),
            let form = Self.only(root.all.filter { $0.name == "form" }),
            [nil, FormEncoding.contentType].contains(form["enctype"]?.lowercased())
        else { return nil }
        var fields: [FormField] = []
        for element in form.all {
            switch (element.name, element["type"]?.lowercased()) {
            case ("input", "hidden"):
                if let name = element["name"] { fields.append(FormField(name, element["value"] ?? "")) }
            case ("input", "submit"), ("input", "button"), ("input", "image"): continue
            case ("input", _), ("select", _), ("textarea", _): return nil
            default: continue
            }
        }
        let named = form["action"]?.trimmingWhitespace ?? ""
        guard let target = named.isEmpty ? url : URL(string: named, relativeTo: url)?.absoluteURL,
            let from = WebOrigin(of: url), let to = WebOrigin(of: target),
            // What was received over TLS is sent over TLS only.
            to.isSafeForSecrets || !from.isSecure
        else { return nil }
        self.action = target
        isPost = form["method"]?.lowercased() == "post"
        self.fields = fields
    }

    private static func only(_ forms: [HTMLElement]) -> HTMLElement? { forms.count == 1 ? forms[0] : nil }

    /// The form's fields, encoded as browsers send them.
    var encoded: String { FormEncoding.encode(fields) }
}
