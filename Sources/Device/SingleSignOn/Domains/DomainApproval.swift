#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// Whether a domain has agreed to an extension, as of the last look.
///
/// extensible-sso.md section 3.5, steps 6 to 8: at a request only this is asked, never the network.
public struct DomainApproval: Equatable, Codable, Sendable {
    public enum State: Equatable, Codable, Sendable {
        case approved
        /// The domain says something else.
        case denied(String)
        /// The domain could not be asked.
        case unreachable(String)
    }

    /// What the last look has found.
    public let state: State
    public let checkedAt: Date
    /// When the domain agreed last, if it still counts; nil if it never did, or has taken it back.
    public let approvedAt: Date?
    /// How often in a row it could not be asked.
    public let failures: Int

    /// How long an agreement counts if it cannot be asked for again.
    package static let lifetime: TimeInterval = 7 * 86_400
    private static let approvedInterval: TimeInterval = 86_400
    private static let deniedInterval: TimeInterval = 3_600
    private static let retryInterval: TimeInterval = 60

    /// - Parameter previous: what was known before this look. A domain that cannot be asked takes nothing back; one that
    ///   says no does, at once.
    public init(_ state: State, at time: Date, after previous: DomainApproval? = nil) {
        self.state = state
        checkedAt = time
        switch state {
        case .approved: (approvedAt, failures) = (time, 0)
        case .denied: (approvedAt, failures) = (nil, 0)
        case .unreachable: (approvedAt, failures) = (previous?.approvedAt, (previous?.failures ?? 0) + 1)
        }
    }

    /// Whether the extension may be asked about the host now. An agreement of a far future, of a clock that was wrong,
    /// does not count.
    public func holds(at now: Date) -> Bool {
        approvedAt.map { abs(now.timeIntervalSince($0)) < Self.lifetime } ?? false
    }

    /// When to look again: after a day, an hour after a no, and after a minute, then two, then four, up to an hour, while
    /// the domain cannot be asked.
    public var nextCheck: Date {
        let wait =
            switch state {
            case .approved: Self.approvedInterval
            case .denied: Self.deniedInterval
            case .unreachable: min(Self.retryInterval * pow(2, Double(min(failures, 20) - 1)), Self.deniedInterval)
            }
        return checkedAt.addingTimeInterval(wait)
    }

    /// The same, and now if the clock was set back since the last look.
    public func nextCheck(at now: Date) -> Date {
        now.addingTimeInterval(Self.deniedInterval) < checkedAt ? now : nextCheck
    }
}

extension DomainApproval.State {
    /// What an association file says about an extension.
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
