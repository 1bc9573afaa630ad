import Foundation
import LanyardClient
import Logging
import ServiceLifecycle
import Synchronization

/// Synchronizes every connected organization at a regular interval, and on request.
///
/// Organizations are crawled concurrently, but each by only one crawl at a time.
final class SyncService: Service {
    private let client: LanyardClient
    private let store: ConnectionStore
    private let interval: Duration
    private let now: @Sendable () -> Date
    private let logger: Logger
    private let running = Mutex<[String: Running]>([:])

    private struct Running {
        var progress = Crawl.Progress()
        /// Whether a sync was requested while this one was running, whose data may be older than the request.
        var isAskedAgain = false
    }

    private let requests: AsyncStream<String>
    private let requestsContinuation: AsyncStream<String>.Continuation

    /// - Parameter interval: 24 hours fits a roster, because school systems export their changes once a day.
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

    /// Begins a sync, or another one after the one that is running. From now on `progress(of:)` is not nil.
    func request(_ organizationID: String) {
        let isNew = running.withLock { running in
            let isNew = running[organizationID] == nil
            running[organizationID, default: Running()].isAskedAgain = !isNew
            return isNew
        }
        if isNew { requestsContinuation.yield(organizationID) }
    }

    /// Nil if no sync is running.
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
            return  // the program is stopping; the next start tries again
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

    /// Stores the result, unless the organization was disconnected or connected again meanwhile.
    private func finish(_ connection: Connection, _ change: @Sendable (inout Connection) -> Void) async throws {
        try await store.update { contents in
            guard var current = contents.connections[connection.organizationID], current.id == connection.id else {
                return
            }
            change(&current)
            contents.connections[connection.organizationID] = current
        }
    }

    /// Deletes the connection: without consent Quizzler may not keep any data.
    private func end(_ connection: Connection) async throws {
        try await store.update { contents in
            _ = contents.end(connection, at: now(), notice: connection.disconnectedNotice)
        }
    }
}
