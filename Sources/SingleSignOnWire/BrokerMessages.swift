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
    public static let version = 1
    /// The socket's name below the user's runtime directory.
    public static let socketPath = "lanyard/sso.sock"
    /// The environment variable that names another socket.
    public static let socketVariable = "LANYARD_SSO_SOCKET"
}

/// What a caller asks: `POST /v1/requests`.
public struct BrokerRequest: Codable, Sendable {
    /// Who draws what an extension presents.
    public enum Presentation: String, Codable, Sendable {
        /// A page in the desktop's browser.
        case desktop
        /// The caller, in the tab that asks. For Lanyard's own bridge to browsers.
        case tab
        /// The caller, in its terminal. For Lanyard's own command line.
        case terminal
        /// Nobody: the request ends with ``AuthorizationFailure/Code/notInteractive``.
        case none
    }

    public var url: String
    /// 0 before a request, 401 or 407 after a challenge. 0 if it is left out.
    public var responseCode: Int?
    /// `login`, `refresh`, `logout`, `implicit` or one that caller and extension agree on. Left out for a request of the
    /// web.
    public var operation: String?
    /// Of the request, or of the answer with the challenge.
    public var headers: [HeaderField]?
    public var body: Data?
    /// Parameters for the extension.
    public var options: [HeaderField]?
    public var scopes: [String]?
    public var state: String?
    public var nonce: String?
    /// ``Presentation/desktop`` if it is left out.
    public var presentation: Presentation?
    /// What a browser's page knows. Heeded from Lanyard's own bridge to browsers alone.
    public var page: Page?

    /// The page in a browser that wants to go somewhere. extensible-sso.md section 4.6.
    public struct Page: Codable, Hashable, Sendable {
        public var userActionInitiated: Bool?
        public var initiatorOrigin: String?
        /// 0 a navigation, 1 a pop-up, 2 a challenge, 3 a frame in a page.
        public var initiatingAction: Int?
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
    /// The extension shows something. A caller that draws it itself gets it with this, and answers to
    /// `/v1/requests/{id}/presentation`.
    case presenting(Presenting)
    case finished(BrokerOutcome)

    public struct Presenting: Codable, Hashable, Sendable {
        public var id: String
        public var form: PresentationForm?
        /// A page to be opened in a browser.
        public var page: String?
        /// Which extension asks, as people call it.
        public var extensionName: String?
        /// That has installed the profile.
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
        /// Go on with ``response``, as if it came from the URL.
        case response
        /// Send the request again, with ``authorizationHeaders``.
        case headers
        /// Success, with nothing to say.
        case empty
        /// Go on as if there were no single sign-on: nothing covers the request, or the extension leaves it alone.
        case notHandled
        /// Stop: the person does not want to go on.
        case canceled
        /// ``error`` says why. A browser goes on as if there were no single sign-on.
        case failed
    }

    public var outcome: Kind
    public var response: WebResponse?
    public var authorizationHeaders: [HeaderField]?
    public var error: AuthorizationFailure?
    /// What the request log says too.
    public var reason: BrokerReason
    /// Of the extension that was asked.
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

/// Why a request ended as it did; the words of the request log.
public enum BrokerReason: String, Codable, Sendable {
    case answered
    /// No profile covers the request.
    case notCovered
    /// The domain has not agreed to the extension, or nobody could ask it yet.
    case domainNotApproved
    /// The profile names an extension that is not on this device, or that another team made.
    case extensionMissing
    /// The system does not tell which program asks: it has gone, or runs with rights that this user does not have.
    case callerUnknown
    /// The profile denies this caller.
    case callerDenied
    case screenLocked
    /// The extension crashed some moments ago.
    case extensionBackedOff
    case extensionFailedToStart
    case extensionCrashed
    /// The extension left the request alone.
    case extensionDeclined
    case extensionFailed
    /// The extension ended the request in a way that does not fit it.
    case wrongCompletion
    /// Another origin, another status than 200 or 302, too large.
    case unusableResponse
    case tooManyRequests
    case timedOut
    case canceledByExtension
    case callerGone
    case notInteractive
    /// The broker stops.
    case stopping
    /// A program of an extension asks about a redirection; it gets none.
    case fromExtension
}

/// `GET /v1/match?url=…&responseCode=…`.
public struct BrokerMatch: Codable, Hashable, Sendable {
    public var isCovered: Bool
    public var `extension`: String?
    public var extensionName: String?
    /// Who installed the extension's profile, in its own words.
    public var organization: String?
    public var reason: BrokerReason
    /// Sentences for a person.
    public var explanation: String
    /// The URL as it was compared; nil if it is none of the web.
    public var url: String?
    /// The entry of a profile that covers it.
    public var entry: String?
    /// Whether that is a host, whose extension is asked when the server challenges, and no URL.
    public var isCredential: Bool?

    public init(
        isCovered: Bool, extension: String?, extensionName: String?, organization: String? = nil,
        reason: BrokerReason, explanation: String
    ) {
        self.isCovered = isCovered
        self.extension = `extension`
        self.extensionName = extensionName
        self.organization = organization
        self.reason = reason
        self.explanation = explanation
    }
}

/// `GET /v1/status`.
public struct BrokerStatus: Codable, Sendable {
    public struct Extension: Codable, Sendable {
        public enum State: String, Codable, Sendable {
            case running
            /// It starts when somebody asks.
            case stopped
            /// It is left alone until ``Extension/startsAgainAt``, because it has failed.
            case backedOff
            /// It is stopped, and its next start waits for a debugger.
            case waitsForDebugger
        }

        /// How it ended without an answer, or why it could not be started.
        public struct Failure: Codable, Sendable {
            /// In words: with the exit status or the signal.
            public var reason: String
            /// The last time.
            public var at: Date
            /// How often since it has answered.
            public var inARow: Int

            public init(reason: String, at: Date, inARow: Int) {
                self.reason = reason
                self.at = at
                self.inARow = inARow
            }
        }

        public var identifier: String
        public var name: String
        public var state: State
        public var startsAgainAt: Date?
        /// Until it has answered once.
        public var lastFailure: Failure?
        public var processIdentifier: Int32?
        public var openRequests: Int

        public init(
            identifier: String, name: String, state: State, startsAgainAt: Date? = nil, lastFailure: Failure? = nil,
            processIdentifier: Int32? = nil, openRequests: Int = 0
        ) {
            self.identifier = identifier
            self.name = name
            self.state = state
            self.startsAgainAt = startsAgainAt
            self.lastFailure = lastFailure
            self.processIdentifier = processIdentifier
            self.openRequests = openRequests
        }
    }

    public struct InstalledProfile: Codable, Sendable {
        /// Nil if the file cannot be read.
        public var identifier: String?
        public var name: String?
        public var organization: String?
        /// The file.
        public var source: String
        /// `device` or `user`.
        public var store: String
        /// What is wrong with it, if it is left out; or with its extension, if that cannot be asked.
        public var problem: String?

        public init(
            identifier: String?, name: String?, organization: String?, source: String, store: String, problem: String?
        ) {
            self.identifier = identifier
            self.name = name
            self.organization = organization
            self.source = source
            self.store = store
            self.problem = problem
        }
    }

    /// A manifest of an extension that does not count.
    public struct FaultyManifest: Codable, Sendable {
        /// The file.
        public var source: String
        /// Sentences: what is wrong, and what to do.
        public var problem: String

        public init(source: String, problem: String) {
            self.source = source
            self.problem = problem
        }
    }

    /// Where a broker looks for profiles, as it was started.
    public struct ProfilePlaces: Codable, Sendable {
        /// The folder of the device's profiles.
        public var device: String
        /// The folder of the user's profiles; nil for none.
        public var user: String?
        /// The file of the policy.
        public var policy: String
        /// Whether the user's profiles count even if the policy does not say so.
        public var allowsUserProfiles: Bool

        public init(device: String, user: String?, policy: String, allowsUserProfiles: Bool) {
            self.device = device
            self.user = user
            self.policy = policy
            self.allowsUserProfiles = allowsUserProfiles
        }
    }

    public var version: Int
    public var processIdentifier: Int32
    public var profiles: [InstalledProfile]
    public var extensions: [Extension]
    /// The URL prefixes that are covered now, for those who decide before asking.
    public var urls: [String]
    /// Of hosts that have not agreed to their extension: their URLs are not covered now. Nil from an older broker, which
    /// does not say.
    public var hostsNotAgreed: [String]?
    /// Of hosts that nobody asks, because no entry of an app or a profile claims them. Nil from an older broker.
    public var hostsNotAsked: [String]?
    /// Nil from an older broker.
    public var faultyManifests: [FaultyManifest]?
    /// Nil from an older broker.
    public var profilePlaces: ProfilePlaces?
    /// Where the broker keeps what is to be kept; see ``ExtensionProtocol/dataFolder(of:in:)``. Nil from an older broker.
    public var stateFolder: String?

    public init(
        version: Int, processIdentifier: Int32, profiles: [InstalledProfile], extensions: [Extension], urls: [String]
    ) {
        self.version = version
        self.processIdentifier = processIdentifier
        self.profiles = profiles
        self.extensions = extensions
        self.urls = urls
    }
}

/// One entry of `GET /v1/log`, the newest last.
public struct BrokerLogEntry: Codable, Sendable {
    public var time: Date
    /// Without query, fragment and user-info.
    public var url: String
    /// Nil for a request of the web.
    public var operation: String?
    /// Nil for what nothing covers, and where the system does not tell.
    public var caller: String?
    public var `extension`: String?
    public var outcome: BrokerOutcome.Kind
    public var reason: BrokerReason
    /// What the author of the extension should know.
    public var detail: String?
    public var milliseconds: Int

    public init(
        time: Date, url: String, operation: String?, caller: String?, extension: String?, outcome: BrokerOutcome.Kind,
        reason: BrokerReason, detail: String?, milliseconds: Int
    ) {
        self.time = time
        self.url = url
        self.operation = operation
        self.caller = caller
        self.extension = `extension`
        self.outcome = outcome
        self.reason = reason
        self.detail = detail
        self.milliseconds = milliseconds
    }
}

/// One entry of `GET /v1/domains`.
public struct BrokerDomain: Codable, Sendable {
    public var `extension`: String
    public var host: String
    /// `approved`, `denied`, `unreachable`, `unclaimed` or `unchecked`.
    public var state: String
    public var reason: String?
    /// The address of the file that has to agree.
    public var associationFile: String?
    public var checkedAt: Date?
    public var nextCheck: Date?
    public var holds: Bool

    public init(
        extension: String, host: String, state: String, reason: String?, associationFile: String?, checkedAt: Date?,
        nextCheck: Date?, holds: Bool
    ) {
        self.extension = `extension`
        self.host = host
        self.state = state
        self.reason = reason
        self.associationFile = associationFile
        self.checkedAt = checkedAt
        self.nextCheck = nextCheck
        self.holds = holds
    }
}
