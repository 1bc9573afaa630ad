/// A form that an extension shows to a person. It is drawn in the browser's tab, in a terminal, or on a page of the
/// desktop's browser.
public struct PresentationForm: Codable, Hashable, Sendable {
    public struct Field: Codable, Hashable, Sendable {
        public enum Kind: String, Codable, Sendable {
            case text, password, oneTimeCode, checkbox
        }

        /// The key of the value in the answer.
        public var name: String
        /// The label beside the field.
        public var label: String
        public var kind: Kind
        /// The initial value; for a checkbox `true` or nil.
        public var value: String?

        public init(_ name: String, label: String, kind: Kind = .text, value: String? = nil) {
            self.name = name
            self.label = label
            self.kind = kind
            self.value = value
        }
    }

    /// The heading, such as “Sign in to id.acme.test”.
    public var title: String
    /// A paragraph above the fields.
    public var text: String?
    /// What went wrong with the last answer.
    public var problem: String?
    public var fields: [Field]
    /// The label of the button that sends the form.
    public var submit: String

    public init(
        title: String, text: String? = nil, problem: String? = nil, fields: [Field], submit: String = "Sign In"
    ) {
        self.title = title
        self.text = text
        self.problem = problem
        self.fields = fields
        self.submit = submit
    }
}

/// What a person did with a form or a page.
public enum PresentationResult: Codable, Hashable, Sendable {
    /// The values by field name; a checkbox that is not ticked is absent.
    case submitted([String: String])
    /// The browser was redirected to the return URL; this is the complete URL.
    case returned(String)
    /// The person pressed Cancel, or closed the page.
    case canceled
    /// The form or page could not be shown.
    case unavailable(AuthorizationFailure)
}
