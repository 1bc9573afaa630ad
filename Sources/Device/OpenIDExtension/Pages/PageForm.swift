import Ground
import SingleSignOnWire
import WebClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A form of a page: where it goes, what people fill in, and what goes along.
struct PageForm: Sendable {
    enum Kind: Equatable, Sendable {
        /// Goes along as it is.
        case fixed
        case text, password, oneTimeCode
        case checkbox(isChecked: Bool)
        case radio(isChecked: Bool)
    }

    struct Control: Sendable {
        var name: String
        var kind: Kind
        var label: String
        var value: String
        /// Whether it is where a person's name or address goes.
        var isUserName = false
    }

    struct Button: Sendable {
        var name: String?
        var value: String
        var label: String
        /// Whether it refuses, goes back or does something else than going on.
        var isWayOut: Bool
        var isPrimary: Bool
        /// Where it sends the form, if that is another place than the form's own.
        var action: URL?
    }

    var action: URL
    var isPost: Bool
    /// Whether it is sent as name=value pairs; files need something else.
    var isPlain: Bool
    var controls: [Control]
    var buttons: [Button]
    /// How much it looks like the one that leads on, beside others of its page.
    var rank = 0

    var hasPassword: Bool { controls.contains { $0.kind == .password } }
    var isFilledIn: Bool { controls.contains { $0.kind != .fixed } }
    var fixedFields: [FormField] {
        controls.filter { $0.kind == .fixed }.map { FormField($0.name, $0.value) }
    }

    /// The one that leads on: the page's main one, else the first that is no way out.
    var button: Button? {
        buttons.first { $0.isPrimary && !$0.isWayOut } ?? buttons.first { !$0.isWayOut }
    }

    /// Whether two are the same question, so that one shown after the other means that the answer was wrong.
    func asksTheSame(as other: PageForm) -> Bool {
        func names(_ form: PageForm) -> [String] { form.controls.filter { $0.kind != .fixed }.map(\.name) }
        return names(self) == names(other) && isFilledIn
    }

    /// What a browser would send when its fields alone are submitted.
    func request(_ fields: [FormField]) -> HTTPRequest {
        guard !isPost else { return .form(action, fields) }
        let text = action.absoluteString.prefix { $0 != "?" && $0 != "#" }
        return HTTPRequest(URL(string: String(text))?.adding(fields) ?? action)
    }
}
