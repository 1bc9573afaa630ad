#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The broker's interface: HTTP with JSON on a Unix socket.
///
/// `GET /v1/match`, `POST /v1/requests`, `POST /v1/requests/{id}/presentation`, `GET /v1/status`, `GET /v1/log`,
/// `GET /v1/domains`, `POST /v1/domains/refresh`, `GET /v1/events`.
public enum BrokerProtocol {
    /// The version in the paths, `/v1/…`.
    public static let version = 1
    /// The path of the socket in the user's runtime directory (`XDG_RUNTIME_DIR`).
    public static let socketPath = "lanyard/sso.sock"
    /// The environment variable with the path of another socket.
    public static let socketVariable = "LANYARD_SSO_SOCKET"
}

/// The body of `POST /v1/requests`: a caller's request.
public struct BrokerRequest: Codable, Sendable {
    /// Who draws what an extension presents.
    public enum Presentation: String, Codable, Sendable {
        /// A page in the desktop's browser.
        case desktop
        /// The caller, in the tab of the navigation. Only for Lanyard's own bridge to browsers.
        case tab
        /// The caller, in its terminal. Only for Lanyard's own command line.
        case terminal
        /// Nothing can be shown: the request ends with ``AuthorizationFailure/Code/notInteractive``.
        case none
    }

    public var url: String
    /// 0 before a request, 401 or 407 after a challenge; nil means 0.
    public var responseCode: Int?
    /// `login`, `refresh`, `logout`, `implicit` or one that caller and extension agree on. Nil for a web request.
    public var operation: String?
    /// The headers of the request, or of the answer with the challenge.
    public var headers: [HeaderField]?
    /// The body of the request, in Base64.
    public var body: Data?
    /// Parameters that are passed to the extension.
    public var options: [HeaderField]?
    /// The scopes that an app asks for, see `ASAuthorizationOpenIDRequest`.
    public var scopes: [String]?
    /// Returned in the extension's answer.
    public var state: String?
    /// For the extension, to be put into an identity token.
    public var nonce: String?
    /// For a challenge: the caller's word for the request that it sends again, the same for all challenges to that one,
    /// so that an extension can continue a negotiation. At most 64 bytes.
    public var conversation: String?
    /// For a challenge of the server itself, over TLS: its certificate in DER, so that an extension can bind its answer to this
    /// connection (RFC 5929 §4). At most 64 KiB.
    public var serverCertificate: Data?
    /// Nil means ``Presentation/desktop``.
    public var presentation: Presentation?
    /// Facts about the page in the browser. Only accepted from Lanyard's own bridge to browsers.
    public var page: Page?

    /// The page in a browser that started the navigation. docs/specifications/extensible-single-sign-on.md, 13.5.
    public struct Page: Codable, Hashable, Sendable {
        /// Whether the person has just done something on the page.
        public var userActionInitiated: Bool?
        /// The origin of the page that started the navigation.
        public var initiatorOrigin: String?
        /// 0 a navigation, 1 a pop-up, 2 a challenge, 3 a frame.
        public var initiatingAction: Int?
        /// The path of the main page's URL.
        public var initiatingPath: String?

        public init(
            userActionInitiated: Bool? = nil, initiatorOrigin: String? = nil, initiatingAction: Int? = nil,
            initiatingPath: String? = nil
        ) {
            self.userActionInitiated = userActionInitiated
            self.initiatorOrigin = initiatorOrigin
            self.initiatingAction = initiatingAction
            self.initiatingPath = initiatingPath
        }
    }

    public init(url: String) { self.url = url }
}

/// One line of the answer to `POST /v1/requests`. The last is ``finished``; most answers have no other.
public enum BrokerEvent: Sendable {
    /// The extension shows a form or page. A caller that draws it itself gets the content, and posts the result to
    /// `/v1/requests/{id}/presentation`.
    case presenting(Presenting)
    case finished(BrokerOutcome)

    /// What is to be shown to the person: a form or a page.
    public struct Presenting: Codable, Hashable, Sendable {
        /// The id of the request in `/v1/requests/{id}/presentation`.
        public var id: String
        /// A form to draw.
        public var form: PresentationForm?
        /// The URL of a page to open in a browser.
        public var page: String?
        /// The display name of the extension.
        public var extensionName: String?
        /// The organization that has installed the profile.
        public var organization: String?

        public init(
            id: String, form: PresentationForm? = nil, page: String? = nil, extensionName: String? = nil,
            organization: String? = nil
        ) {
            self.id = id
            self.form = form
            self.page = page
            self.extensionName = extensionName
            self.organization = organization
        }
    }
}

/// `{"event": "presenting", …}` and `{"event": "finished", …}`.
extension BrokerEvent: Codable {
    private enum Key: String, CodingKey { case event }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        switch try container.decode(String.self, forKey: .event) {
        case "presenting": self = .presenting(try Presenting(from: decoder))
        case "finished": self = .finished(try BrokerOutcome(from: decoder))
        case let other:
            throw DecodingError.dataCorruptedError(
                forKey: .event, in: container, debugDescription: "“\(other)” is no event that is known here.")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .presenting(let presenting):
            try container.encode("presenting", forKey: .event)
            try presenting.encode(to: encoder)
        case .finished(let outcome):
            try container.encode("finished", forKey: .event)
            try outcome.encode(to: encoder)
        }
    }
}

/// How a request ended.
public struct BrokerOutcome: Codable, Hashable, Sendable {
    public enum Kind: String, Codable, Sendable {
        /// Continue with ``response`` as if it came from the URL.
        case response
        /// Send the request again, with ``authorizationHeaders``.
        case headers
        /// Success without a value.
        case empty
        /// Continue as if there were no single sign-on: nothing covers the request, or the extension declined it.
        case notHandled
        /// Stop: the person has canceled.
        case canceled
        /// ``error`` says why. A browser continues as if there were no single sign-on.
        case failed
    }

    public var outcome: Kind
    public var response: WebResponse?
    public var authorizationHeaders: [HeaderField]?
    public var error: AuthorizationFailure?
    /// The reason, as in the request log.
    public var reason: BrokerReason
    /// The identifier of the extension that was asked.
    public var `extension`: String?

    public init(
        _ outcome: Kind, reason: BrokerReason, response: WebResponse? = nil,
        authorizationHeaders: [HeaderField]? = nil, error: AuthorizationFailure? = nil, extension: String? = nil
    ) {
        self.outcome = outcome
        self.reason = reason
        self.response = response
        self.authorizationHeaders = authorizationHeaders
        self.error = error
        self.extension = `extension`
    }
}

/// Why a request ended as it did, as written in the request log.
public enum BrokerReason: String, Codable, Sendable {
    case answered
    /// No profile covers the request.
    case notCovered
    /// The domain has not agreed to the extension, or could not be asked yet.
    case domainNotApproved
    /// The profile's extension is not on this device, or belongs to another team.
    case extensionMissing
    /// The calling program cannot be identified: it has ended, or runs with rights that this user does not have.
    case callerUnknown
    /// The profile denies this caller.
    case callerDenied
    case screenLocked
    /// The extension crashed recently and is not started again yet.
    case extensionBackedOff
    case extensionFailedToStart
    case extensionCrashed
    /// The extension declined the request.
    case extensionDeclined
    case extensionFailed
    /// The extension ended the request in a way that does not fit it.
    case wrongCompletion
    /// The response has another origin, a status other than 200 or 302, or is too large.
    case unusableResponse
    case tooManyRequests
    case timedOut
    case canceledByExtension
    case callerGone
    case notInteractive
    /// The broker is shutting down.
    case stopping
    /// The caller belongs to an extension, whose own requests are not redirected.
    case fromExtension
}
