import Foundation
import Logging
import SingleSignOn
import SingleSignOnWire
import Synchronization

/// Which domains have agreed to which extension, as of the last look; and when to look again.
///
/// A request asks only what is known here, never a disk or the network. What is known lasts across a restart, in a file of
/// the user alone, until the domain has answered again.
public final class DomainRegistry: Sendable {
    /// That an extension answers for a host, in some redirect payload.
    public struct Claim: Hashable, Sendable {
        public var identity: ExtensionIdentity
        /// Lower case, in ASCII.
        public var host: String
        /// The entry by which the host is claimed; nil if none is.
        public var domain: AssociatedDomain?
        /// Why none is, in words.
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

    /// How many domains are asked at once: slow ones do not hold up others until there are so many of them.
    static let fetchesMax = 8

    let fetch: Fetch
    let now: @Sendable () -> Date
    let sleep: @Sendable (Duration) async throws -> Void
    let logger: Logger
    let state: Mutex<State>
    /// Rings when something may be due.
    let alarms: AsyncStream<Void>
    let alarm: AsyncStream<Void>.Continuation
    private let file: DomainRecordFile
    /// Where domains are asked, if not at 443.
    private let port: Int?
    /// Called when a domain says something else than before.
    let changeListener = Mutex<(@Sendable () -> Void)?>(nil)
    /// One at a time writes, and the last one writes what is newest.
    private let writing = Mutex<Void>(())

    struct State {
        var claims: [DomainKey: Claim] = [:]
        var records: [DomainKey: DomainRecord]
        /// Records of the file, which any program of the user could have written: their domains are asked at once. What they
        /// answer counts; while they cannot be asked, so does the record.
        var unconfirmed: Set<DomainKey>
        /// Files that are on their way.
        var asked: Set<AssociationFileKey> = []
        var refreshing: Task<Void, Never>?
        /// When there may have been a network anew.
        var networkUp = Date.distantPast
    }

    /// - Parameter file: made when there is something to write. One that is damaged, or that others could have written,
    ///   counts as empty; so does what was found under other rules, such as with an authority for tests.
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

    /// Replaces all claims with `claims`. What nobody claims any more, or another app, or by another entry, is forgotten.
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

    /// Calls back when a domain agrees that did not, or no longer does. One listener.
    func onChange(_ listener: @escaping @Sendable () -> Void) { changeListener.withLock { $0 = listener } }

    /// Whether the extension may be asked about the host now.
    /// - Parameter host: as in the claim.
    public func holds(extension identifier: String, team: String, host: String) -> Bool {
        let key = DomainKey(team: team, extension: identifier, host: host)
        // Before the first update nothing is claimed, whatever the file says.
        let record = state.withLock { $0.claims[key] == nil ? nil : $0.records[key] }
        return record?.approval.holds(at: now()) ?? false
    }

    /// Why the host's domain is not asked about the extension, in words; nil if it is.
    func problem(extension identifier: String, team: String, host: String) -> String? {
        state.withLock { $0.claims[DomainKey(team: team, extension: identifier, host: host)]?.problem }
    }

    /// All claims, in order.
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
