import Foundation
import LanyardClient
import Logging
import ServiceLifecycle
import Synchronization

/// Keeps every connected organization in step: once an interval, and whenever someone asks.
///
/// Organizations are crawled side by side, each by one crawl at a time.
final class SyncService: Service {
    private let client: LanyardClient
    private let store: ConnectionStore
    private let interval: Duration
    private let now: @Sendable () -> Date
    private let logger: Logger
    private let running = Mutex<[String: Running]>([:])

    private struct Running {
        var progress = Crawl.Progress()
        /// Somebody asked for a sync when this one was under way: what it has read may be from before.
        var isAskedAgain = false
    }

    private let requests: AsyncStream<String>
    private let requestsContinuation: AsyncStream<String>.Continuation

    /// - Parameter interval: 24 hours suits a roster: school systems hand over their changes once a day.
    init(
        client: LanyardClient,
        store: ConnectionStore,
        interval: Duration,
        now: @escaping @Sendable () -> Date,
        logger: Logger
    ) {
        self.client = client
        self.store = store
        self.interval = interval
        self.now = now
        self.logger = logger
        (requests, requestsContinuation) = AsyncStream.makeStream()
    }

    /// Begins a sync; if one is under way, another one after it. From now on `progress(of:)` tells about it.
    func request(_ organizationID: String) {
        let isNew = running.withLock { running in
            let isNew = running[organizationID] == nil
            running[organizationID, default: Running()].isAskedAgain = !isNew
            return isNew
        }
        if isNew { requestsContinuation.yield(organizationID) }
    }

    /// Nil if no sync is under way.
    func progress(of organizationID: String) -> Crawl.Progress? {
        running.withLock { $0[organizationID]?.progress }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.requestWhatIsDue() }
                for await organizationID in self.requests {
                    group.addTask { await self.sync(organizationID) }
                }
                group.cancelAll()
            }
        }
    }

    private func requestWhatIsDue() async {
        let interval = TimeInterval(interval.components.seconds)
        while !Task.isCancelled {
            for connection in await store.connections
            where
                progress(of: connection.organizationID) == nil && connection.isDue(every: interval, at: now())
            {
                request(connection.organizationID)
            }
            try? await Task.sleep(for: min(self.interval, .seconds(60)))
        }
    }

    private func sync(_ organizationID: String) async {
        var isAskedAgain = true
        while isAskedAgain {
            if let connection = await store.connection(organizationID) { await sync(connection) }
            isAskedAgain = running.withLock { running in
                let isAskedAgain = running[organizationID]?.isAskedAgain == true
                running[organizationID] = isAskedAgain ? Running() : nil
                return isAskedAgain
            }
        }
    }

    private func sync(_ connection: Connection) async {
        do {
            let session = RosterSession(client: client, refreshToken: connection.refreshToken)
            let crawl = Crawl(reader: client.roster(session), organizationID: connection.organizationID)
            let roster = try await crawl.run { progress in
                running.withLock { $0[connection.organizationID]?.progress = progress }
            }
            try await finish(connection) { connection in
                let changes = connection.roster.map { RosterChanges(from: $0, to: roster) }
                connection.lastSync = Connection.Sync(at: now(), changes: changes)
                connection.lastFailure = nil
                connection.roster = roster
            }
        } catch is CancellationError {
            return  // shutting down; the next start tries again
        } catch {
            logger.warning(
                "sync failed", metadata: ["organization": "\(connection.organizationID)", "error": "\(error)"])
            await record(SyncFailure(error), of: connection)
        }
    }

    private func record(_ failure: SyncFailure, of connection: Connection) async {
        do {
            if failure == .consentGone {
                try await end(connection)
            } else {
                try await finish(connection) { connection in
                    let message = failure.message(for: connection.organizationName)
                    connection.lastFailure = Connection.Failure(at: now(), message: message)
                }
            }
        } catch {
            logger.error("nothing can be stored", metadata: ["error": "\(error)"])
        }
    }

    /// Stores the outcome, unless the organization has disconnected or connected anew meanwhile.
    private func finish(_ connection: Connection, _ change: @Sendable (inout Connection) -> Void) async throws {
        try await store.update { contents in
            guard var current = contents.connections[connection.organizationID], current.id == connection.id else {
                return
            }
            change(&current)
            contents.connections[connection.organizationID] = current
        }
    }

    /// Without consent there is nothing that Quizzler may keep.
    private func end(_ connection: Connection) async throws {
        try await store.update { contents in
            _ = contents.end(connection, at: now(), notice: connection.disconnectedNotice)
        }
    }
}
