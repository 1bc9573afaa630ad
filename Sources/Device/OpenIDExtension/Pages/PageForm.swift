import Ground
import SingleSignOnWire
import WebClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A form of a page, as far as it can be filled in and submitted without a browser.
struct PageForm: Sendable {
    enum Kind: Equatable, Sendable {
        /// Submitted unchanged and not shown.
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
        /// Whether it is the field for the user name or e-mail address.
        var isUserName = false
    }

    struct Button: Sendable {
        var name: String?
        var value: String
        var label: String
        /// Whether it cancels, refuses or goes back.
        var isWayOut: Bool
        var isPrimary: Bool
        /// `formaction`, if the button submits the form to another URL.
        var action: URL?
    }

    var action: URL
    var isPost: Bool
    /// Whether it is submitted as `application/x-www-form-urlencoded`.
    var isPlain: Bool
    var controls: [Control]
    var buttons: [Button]
    /// How likely it is the form that continues the sign-in, compared with others on the page. Higher is likelier.
    var rank = 0

    var hasPassword: Bool { controls.contains { $0.kind == .password } }
    var isFilledIn: Bool { controls.contains { $0.kind != .fixed } }
    var fixedFields: [FormField] {
        controls.filter { $0.kind == .fixed }.map { FormField($0.name, $0.value) }
    }

    /// The button that continues: the primary one, else the first that does not cancel.
    var button: Button? {
        buttons.first { $0.isPrimary && !$0.isWayOut } ?? buttons.first { !$0.isWayOut }
    }

    /// Whether both ask for the same fields. If one follows the other, the first answer was probably wrong.
    func asksTheSame(as other: PageForm) -> Bool {
        func names(_ form: PageForm) -> [String] { form.controls.filter { $0.kind != .fixed }.map(\.name) }
        return names(self) == names(other) && isFilledIn
    }

    /// The request that a browser would send for these fields.
    func request(_ fields: [FormField]) -> HTTPRequest {
        guard !isPost else { return .form(action, fields) }
        let text = action.absoluteString.prefix { $0 != "?" && $0 != "#" }
        return HTTPRequest(URL(string: String(text))?.adding(fields) ?? action)
    }
}
