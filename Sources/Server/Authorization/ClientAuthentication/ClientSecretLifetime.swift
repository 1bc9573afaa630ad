import Foundation

/// How long what a client signs to prove who it is may count, by the server's clock.
enum ClientSecretLifetime {
    /// Six months: no client secret may expire later.
    static let secondsMax: TimeInterval = 15_777_000
    /// An hour, for an assertion, which is made for one request.
    static let assertionSecondsMax: TimeInterval = 3_600
    /// By how many seconds clocks may differ.
    static let tolerance: TimeInterval = 120
}
