/// What an extension shows to a person: a form that whoever is nearest draws, be it a tab, a terminal or a page of the
/// desktop's browser.
public struct PresentationForm: Codable, Hashable, Sendable {
    public struct Field: Codable, Hashable, Sendable {
        public enum Kind: String, Codable, Sendable {
            case text, password, oneTimeCode, checkbox
        }

        /// By which the answer is found.
        public var name: String
        public var label: String
        public var kind: Kind
        /// What stands in it at first; for a checkbox `true` or nothing.
        public var value: String?

        public init(_ name: String, label: String, kind: Kind = .text, value: String? = nil) {
            self.name = name
            self.label = label
            self.kind = kind
            self.value = value
        }
    }

    /// Such as “Sign in to id.acme.test”.
    public var title: String
    public var text: String?
    /// What went wrong with the last answer.
    public var problem: String?
    public var fields: [Field]
    /// Of the button that sends the form.
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
    /// By the names of the fields; a checkbox that is not ticked is absent.
    case submitted([String: String])
    /// The browser came back to the return URL: the whole URL.
    case returned(String)
    /// The person pressed Cancel, or closed the page.
    case canceled
    /// It could not be shown.
    case unavailable(AuthorizationFailure)
}
