#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// Whether a domain has agreed to an extension, by the last check.
///
/// A request looks only at this, never at the network. docs/specifications/extensible-single-sign-on.md, 9.6 to 9.9.
public struct DomainApproval: Equatable, Codable, Sendable {
    public enum State: Equatable, Codable, Sendable {
        case approved
        /// The domain's answer does not name the extension; the text says why.
        case denied(String)
        /// The domain could not be reached; the text says why.
        case unreachable(String)
    }

    /// The result of the last check.
    public let state: State
    public let checkedAt: Date
    /// When the domain last agreed; nil if it never did, or has revoked it since.
    public let approvedAt: Date?
    /// How often in a row it could not be reached.
    public let failures: Int

    /// How long an approval stays valid, in seconds, if it cannot be renewed.
    package static let lifetime: TimeInterval = 7 * 86_400
    private static let approvedInterval: TimeInterval = 86_400
    private static let deniedInterval: TimeInterval = 3_600
    private static let retryInterval: TimeInterval = 60

    /// - Parameter previous: the state before this check. An unreachable domain keeps its approval; a refusal revokes
    ///   it at once.
    public init(_ state: State, at time: Date, after previous: DomainApproval? = nil) {
        self.state = state
        checkedAt = time
        switch state {
        case .approved: (approvedAt, failures) = (time, 0)
        case .denied: (approvedAt, failures) = (nil, 0)
        case .unreachable: (approvedAt, failures) = (previous?.approvedAt, (previous?.failures ?? 0) + 1)
        }
    }

    /// Whether the extension may be asked about the host now. An approval far in the future was written by a clock that
    /// was wrong, and does not count.
    public func holds(at now: Date) -> Bool {
        approvedAt.map { abs(now.timeIntervalSince($0)) < Self.lifetime } ?? false
    }

    /// When to check again: a day after an approval, an hour after a refusal, and after 1, 2, 4 … 60 minutes while the
    /// domain cannot be reached.
    public var nextCheck: Date {
        let wait =
            switch state {
            case .approved: Self.approvedInterval
            case .denied: Self.deniedInterval
            case .unreachable: min(Self.retryInterval * pow(2, Double(min(failures, 20) - 1)), Self.deniedInterval)
            }
        return checkedAt.addingTimeInterval(wait)
    }

    /// The same, or `now` if the clock was set back since the last check.
    public func nextCheck(at now: Date) -> Date {
        now.addingTimeInterval(Self.deniedInterval) < checkedAt ? now : nextCheck
    }
}

extension DomainApproval.State {
    /// The state that follows from an association file.
    public init(_ file: Result<AssociationFile, AssociationFile.Problem>, of identity: ExtensionIdentity) {
        switch file {
        case .success(let file):
            let ids = identity.applicationIdentifiers
            self =
                file.apps.isDisjoint(with: ids)
                ? .denied("the association file names neither \(ids.sorted().joined(separator: " nor "))") : .approved
        case .failure(let problem): self = .denied(problem.description)
        }
    }
}
