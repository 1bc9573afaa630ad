import Logging
import SingleSignOn
import SingleSignOnWire
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Knows which domains have agreed to which extension when they were last asked, and asks them again when it is time.
///
/// Requests are decided by what is in memory, without disk or network. A file that only the user can read and write
/// keeps it across a restart.
public final class DomainRegistry: Sendable {
    /// A redirect payload says that an extension answers for a host.
    public struct Claim: Hashable, Sendable {
        public var identity: ExtensionIdentity
        /// In lower case and ASCII.
        public var host: String
        /// The associated domain by which the host is claimed; nil if there is none, so that no domain is asked.
        public var domain: AssociatedDomain?
        /// A sentence on why `domain` is nil.
        public var problem: String?

        public init(identity: ExtensionIdentity, host: String, domain: AssociatedDomain?, problem: String? = nil) {
            self.identity = identity
            self.host = host
            self.domain = domain
            self.problem = problem
        }
    }

    public typealias Fetch =
        @Sendable (AssociatedDomain) async -> Result<AssociationFile, AssociationFileFailure>

    /// The most domains that are asked at the same time, so that a few slow ones do not delay all others.
    static let fetchesMax = 8

    let fetch: Fetch
    let now: @Sendable () -> Date
    let sleep: @Sendable (Duration) async throws -> Void
    let logger: Logger
    let state: Mutex<State>
    /// Yields when a domain may be due.
    let alarms: AsyncStream<Void>
    let alarm: AsyncStream<Void>.Continuation
    private let file: DomainRecordFile
    /// The port at which domains are asked; nil means 443.
    private let port: Int?
    /// Called when a domain's answer has changed.
    let changeListener = Mutex<(@Sendable () -> Void)?>(nil)
    /// Held while the file is written, so that the last to write is the one that has read the newest records.
    private let writing = Mutex<Void>(())

    struct State {
        var claims: [DomainKey: Claim] = [:]
        var records: [DomainKey: DomainRecord]
        /// Records from the file. Any program of the user could have written it, so their domains are asked at once. A
        /// record counts only until its domain has answered.
        var unconfirmed: Set<DomainKey>
        /// Files that are being fetched.
        var asked: Set<AssociationFileKey> = []
        var refreshing: Task<Void, Never>?
        /// When the device may last have got a network.
        var networkUp = Date.distantPast
    }

    /// - Parameters:
    ///   - file: is made with the first record. It counts as empty if it is damaged, if others could have written it,
    ///     or if its records were made under other rules, for example with a certificate authority for tests.
    ///   - port: at which domains are asked; nil means 443.
    ///   - sleep: returns after the time, and throws if its task is canceled before.
    init(
        file: DomainRecordFile, port: Int? = nil, fetch: @escaping Fetch, now: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }, logger: Logger
    ) {
        self.file = file
        self.port = port
        self.fetch = fetch
        self.now = now
        self.sleep = sleep
        self.logger = logger
        var records: [DomainKey: DomainRecord] = [:]
        do {
            records = try file.read(at: now())
        } catch {
            logger.notice(
                "What domains have said before is not known.", metadata: ["file": "\(file.path)", "reason": "\(error)"])
        }
        state = Mutex(State(records: records, unconfirmed: Set(records.keys)))
        (alarms, alarm) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Replaces all claims with `claims`. A record is forgotten if its claim is gone, or names another app or entry.
    public func update(_ claims: [Claim]) {
        let claims = Dictionary(claims.map { (DomainKey($0), $0) }) { first, _ in first }
        let hasForgotten = state.withLock { state in
            let before = state.records.count
            state.claims = claims
            state.records = state.records.filter { key, record in claims[key].map { record.isAbout($0) } ?? false }
            return state.records.count != before
        }
        if hasForgotten { save() }
        alarm.yield()
    }

    /// Calls `listener` whenever a domain's answer has changed. There is one listener; a second one replaces it.
    func onChange(_ listener: @escaping @Sendable () -> Void) { changeListener.withLock { $0 = listener } }

    /// Whether the extension may be asked about the host now.
    /// - Parameter host: in lower case and ASCII.
    public func holds(extension identifier: String, team: String, host: String) -> Bool {
        let key = DomainKey(team: team, extension: identifier, host: host)
        // A record counts only with a claim. Before the first update there is none, whatever the file says.
        let record = state.withLock { $0.claims[key] == nil ? nil : $0.records[key] }
        return record?.approval.holds(at: now()) ?? false
    }

    /// A sentence on why no domain is asked whether the extension may answer for the host; nil if one is asked.
    func problem(extension identifier: String, team: String, host: String) -> String? {
        state.withLock { $0.claims[DomainKey(team: team, extension: identifier, host: host)]?.problem }
    }

    /// All claims with what is known about them, sorted by extension, host and team.
    public func entries() -> [BrokerDomain] {
        let (claims, records) = state.withLock { ($0.claims, $0.records) }
        let time = now()
        return claims.sorted { $0.key < $1.key }.map { key, claim in
            let approval = records[key]?.approval
            return BrokerDomain(
                extension: key.extension, host: key.host,
                state: claim.domain == nil ? "unclaimed" : approval?.state.name ?? "unchecked",
                reason: claim.problem ?? approval?.state.reason,
                associationFile: claim.domain?.associationFileURL(port: port), checkedAt: approval?.checkedAt,
                nextCheck: approval?.nextCheck, holds: approval?.holds(at: time) ?? false)
        }
    }

    func save() {
        writing.withLock { _ in
            let records = state.withLock { $0.records }
            do {
                try file.write(records)
            } catch {
                logger.error(
                    "What domains have said will not be known after a restart.",
                    metadata: ["file": "\(file.path)", "reason": "\(error)"])
            }
        }
    }
}
