#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
    /// True if the URL names an identity provider to apps, whose operations the extension answers, and requests of the web to
    /// it go on as usual.
    public var isForOperations: Bool?
    /// Whether an extension answers in place of a request of the web, or to its challenge.
    public var coversRequests: Bool { isCovered && isForOperations != true }

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
