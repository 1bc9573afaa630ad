import Logging
import SingleSignOn
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DomainRegistry {
    /// Asks domains when they are due and sleeps in between, until it is canceled. To be called once.
    public func run() async {
        await withDiscardingTaskGroup { group in
            var timer: Task<Void, Never>?
            for await _ in alarms {
                timer?.cancel()
                for file in takeDue() {
                    group.addTask {
                        await self.look(at: file)
                        self.alarm.yield()
                    }
                }
                timer = nextAlarm().map { wait in
                    // Canceled above as soon as another timer replaces it.
                    Task { [sleep, alarm] in
                        guard (try? await sleep(wait)) != nil else { return }
                        alarm.yield()
                    }
                }
            }
            timer?.cancel()
            group.cancelAll()
        }
    }

    /// Asks all domains now, and returns when each has answered or failed. Callers at the same time share one round.
    public func refresh() async {
        let round = state.withLock { state in
            if let running = state.refreshing { return running }
            let round = Task { await askAll() }
            state.refreshing = round
            return round
        }
        await round.value
    }

    /// Asks domains again that could not be reached, although they may not be due yet.
    /// docs/specifications/extensible-single-sign-on.md, 9.7.
    func networkMayBeUp() {
        let time = now()
        state.withLock { $0.networkUp = time }
        alarm.yield()
    }

    private func askAll() async {
        let files = state.withLock { state in
            let files = Set(state.claims.values.compactMap { $0.domain.map(AssociationFileKey.init) })
            state.asked.formUnion(files)
            return files
        }
        await withTaskGroup(of: Void.self) { group in
            for (index, file) in files.enumerated() {
                if index >= Self.fetchesMax { await group.next() }
                group.addTask { await self.look(at: file) }
            }
        }
        state.withLock { $0.refreshing = nil }
        alarm.yield()
    }

    /// Takes files that are due, the longest overdue first, so that at most ``fetchesMax`` are being fetched.
    private func takeDue() -> [AssociationFileKey] {
        let time = now()
        return state.withLock { state in
            let due = state.dueTimes(at: time).filter { $0.value <= time }.sorted { $0.value < $1.value }
            let taken = due.prefix(max(0, Self.fetchesMax - state.asked.count)).map(\.key)
            state.asked.formUnion(taken)
            return taken
        }
    }

    /// The time until a file is due; nil if there is none, or if all places are taken.
    private func nextAlarm() -> Duration? {
        let time = now()
        return state.withLock { state in
            // If all places are taken, the end of a fetch rings the alarm.
            guard state.asked.count < Self.fetchesMax, let next = state.dueTimes(at: time).values.min() else {
                return nil
            }
            return .seconds(max(0.1, next.timeIntervalSince(time)))
        }
    }

    private func look(at file: AssociationFileKey) async {
        let start = now()
        let answer = await fetch(file.entry)
        // A canceled fetch fails without saying anything about the domain.
        let changes = Task.isCancelled ? [] : state.withLock { $0.take(answer, about: file, askedAt: start) }
        let isLast = state.withLock { state in
            state.asked.remove(file)
            return state.asked.isEmpty
        }
        for (key, state) in changes {
            var metadata: Logger.Metadata = ["host": "\(key.host)", "extension": "\(key.extension)"]
            metadata["reason"] = state.reason.map { "\($0)" }
            logger.log(
                level: state == .approved ? .info : .warning, "A domain is \(state.name) for an extension.",
                metadata: metadata)
        }
        if !changes.isEmpty { changeListener.withLock { $0 }?() }
        if isLast { save() }
    }
}

extension DomainRegistry.State {
    /// When each file that is not being fetched is due.
    fileprivate func dueTimes(at time: Date) -> [AssociationFileKey: Date] {
        var times: [AssociationFileKey: Date] = [:]
        for (key, claim) in claims {
            guard let file = claim.domain.map(AssociationFileKey.init), !asked.contains(file) else { continue }
            let due = unconfirmed.contains(key) ? nil : records[key].map { nextCheck($0.approval, at: time) }
            times[file] = min(due ?? .distantPast, times[file] ?? .distantFuture)
        }
        return times
    }

    private func nextCheck(_ approval: DomainApproval, at time: Date) -> Date {
        let due = approval.nextCheck(at: time)
        guard case .unreachable = approval.state, networkUp > approval.checkedAt else { return due }
        // The network may come and go often; the domain is not asked more often than this.
        return min(due, approval.checkedAt.addingTimeInterval(Self.retryIntervalOfNetworks))
    }

    private static var retryIntervalOfNetworks: TimeInterval { 5 }

    /// Records what an answer means for each extension that claims a host by this file.
    /// - Parameter time: when the domain was asked.
    /// - Returns: the keys whose state has changed.
    fileprivate mutating func take(
        _ answer: Result<AssociationFile, AssociationFileFailure>, about file: AssociationFileKey, askedAt time: Date
    ) -> [(DomainKey, DomainApproval.State)] {
        var changes: [(DomainKey, DomainApproval.State)] = []
        for (key, claim) in claims where claim.domain.map(AssociationFileKey.init) == file {
            let previous = records[key]?.approval
            // A slow answer to an earlier question must not replace the answer to a later one.
            if let previous, previous.checkedAt > time, previous.nextCheck(at: time) > time, !unconfirmed.contains(key)
            {
                continue
            }
            unconfirmed.remove(key)
            let state: DomainApproval.State =
                switch answer {
                case .success(let file): .init(.success(file), of: claim.identity)
                case .failure(.denied(let reason)): .denied(reason)
                case .failure(.unreachable(let reason)): .unreachable(reason)
                }
            records[key] = DomainRecord(claim, DomainApproval(state, at: time, after: previous))
            if state != previous?.state { changes.append((key, state)) }
        }
        return changes
    }
}
