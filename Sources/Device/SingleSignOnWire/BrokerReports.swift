#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `GET /v1/match?url=…&responseCode=…`.
public struct BrokerMatch: Codable, Hashable, Sendable {
    /// Whether a profile covers the URL and its extension can be asked.
    public var isCovered: Bool
    public var `extension`: String?
    public var extensionName: String?
    /// The organization that the profile names.
    public var organization: String?
    public var reason: BrokerReason
    /// An explanation in sentences.
    public var explanation: String
    /// The URL in the form that was compared; nil if it is not a web URL.
    public var url: String?
    /// The entry of the profile that covers it.
    public var entry: String?
    /// Whether the entry is a host, so that the extension is asked only when the server challenges.
    public var isCredential: Bool?
    /// True if the URL only names an identity provider to apps: the extension answers operations, and web requests to
    /// it continue as usual.
    public var isForOperations: Bool?
    /// Whether an extension answers web requests to the URL, or their challenges.
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
            /// Not running; it starts with the next request.
            case stopped
            /// Not started before ``Extension/startsAgainAt``, because it has failed.
            case backedOff
            /// Not running, and its next start waits for a debugger.
            case waitsForDebugger
        }

        /// How the extension ended without an answer, or why it could not be started.
        public struct Failure: Codable, Sendable {
            /// A description, with the exit status or the signal.
            public var reason: String
            /// When it last failed.
            public var at: Date
            /// The number of failures since its last answer.
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
        /// When a failed extension is started again at the earliest.
        public var startsAgainAt: Date?
        /// The last failure; nil after the next answer.
        public var lastFailure: Failure?
        /// The process id; nil while it does not run.
        public var processIdentifier: Int32?
        /// The number of requests that are not answered yet.
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

    /// A profile on this device, whether it counts or not.
    public struct InstalledProfile: Codable, Sendable {
        /// The profile's identifier; nil if the file cannot be read.
        public var identifier: String?
        public var name: String?
        public var organization: String?
        /// The path of the file.
        public var source: String
        /// `device` or `user`.
        public var store: String
        /// Why the profile does not count, or why its extension cannot be asked; nil if neither.
        public var problem: String?
        /// Sentences on what the profile says without an effect on Linux, or with another one than elsewhere. Nil if there is
        /// nothing, and from an older broker.
        public var notes: [String]?

        public init(
            identifier: String?, name: String?, organization: String?, source: String, store: String, problem: String?,
            notes: [String]? = nil
        ) {
            self.notes = notes
            self.identifier = identifier
            self.name = name
            self.organization = organization
            self.source = source
            self.store = store
            self.problem = problem
        }
    }

    /// A manifest that does not count.
    public struct FaultyManifest: Codable, Sendable {
        /// The path of the file.
        public var source: String
        /// Sentences that say what is wrong and what to do.
        public var problem: String

        public init(source: String, problem: String) {
            self.source = source
            self.problem = problem
        }
    }

    /// Where this broker looks for profiles.
    public struct ProfilePlaces: Codable, Sendable {
        /// The folder of the device's profiles.
        public var device: String
        /// The folder of the device into which files are put by hand. Nil for none, and from an older broker.
        public var dropIns: String?
        /// The folder of the user's profiles; nil for none.
        public var user: String?
        /// The file of the policy.
        public var policy: String
        /// Whether the user's profiles count even if the policy does not allow them.
        public var allowsUserProfiles: Bool

        public init(
            device: String, dropIns: String? = nil, user: String?, policy: String, allowsUserProfiles: Bool
        ) {
            self.device = device
            self.dropIns = dropIns
            self.user = user
            self.policy = policy
            self.allowsUserProfiles = allowsUserProfiles
        }
    }

    public var version: Int
    public var processIdentifier: Int32
    public var profiles: [InstalledProfile]
    public var extensions: [Extension]
    /// The URL prefixes that are covered now, for callers that decide before asking.
    public var urls: [String]
    /// Hosts that have not agreed to their extension, so that their URLs are not covered now. Nil from an older broker.
    public var hostsNotAgreed: [String]?
    /// Hosts that are not asked, because no entry of an app or a profile claims them. Nil from an older broker.
    public var hostsNotAsked: [String]?
    /// Manifests that do not count. Nil from an older broker.
    public var faultyManifests: [FaultyManifest]?
    /// Where the broker looks for profiles. Nil from an older broker.
    public var profilePlaces: ProfilePlaces?
    /// The folder of the broker's persistent data; see ``ExtensionProtocol/dataFolder(of:in:)``. Nil from an older
    /// broker.
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
    /// The URL without query, fragment and user-info.
    public var url: String
    /// Nil for a request of the web.
    public var operation: String?
    /// The caller's bundle identifier; nil if nothing covers the request, or if the caller cannot be identified.
    public var caller: String?
    public var `extension`: String?
    public var outcome: BrokerOutcome.Kind
    public var reason: BrokerReason
    /// Details for the author of the extension.
    public var detail: String?
    /// How long the request took, in milliseconds.
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
    /// The URL of the association file that has to name the app.
    public var associationFile: String?
    /// When the domain was last checked; nil if never.
    public var checkedAt: Date?
    /// When it is checked again.
    public var nextCheck: Date?
    /// Whether the approval is valid now.
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
