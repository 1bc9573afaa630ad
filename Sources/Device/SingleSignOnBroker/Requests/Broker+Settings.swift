import Ground
import SingleSignOnWire

extension Broker {
    struct Settings: Sendable {
        var timing = ExtensionHost.Timing()
        /// The environment variables that extensions are started with.
        var environment: [String: String] = [:]
        var surroundings: Surroundings
        /// Holds the folders in which extensions keep their data.
        var stateFolder: String
        var profilePlaces: BrokerStatus.ProfilePlaces
        /// Whether it serves the authors of extensions, and not people.
        var isForAuthors = false
        /// How many requests may be open at extensions at once.
        var requestsMax = 4_096
        /// How many of them may come from one process.
        var requestsPerCallerMax = 128
        var isScreenLocked: @Sendable () async -> Bool = { false }
    }
}
