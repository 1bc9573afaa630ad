/// Whether the service takes an account for a person's. Sent to native apps only, the first time.
public enum RealUserStatus: Int, Codable, Sendable {
    case unsupported = 0
    case unknown = 1
    case likelyReal = 2
}
