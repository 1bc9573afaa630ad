import Foundation
import Ground
import Logging
import NIOCore
import SingleSignOn
import SingleSignOnWire

/// Asks extensions without a caller, at the times and for the networks that they have named.
extension Broker {
    /// The event loop's clock stands still while the device sleeps, so that it is looked at from time to time whether it is
    /// late.
    private static let alarmMax = TimeAmount.minutes(10)

    /// For an extension that wants to be asked again for the payload of its request. Called on the event loop.
    func wakeTaker(_ payload: SingleSignOnPayload) -> @Sendable (ExtensionWake) -> Void {
        { wake in self.assumeIsolated { $0.take(wake, of: payload) } }
    }

    private func take(_ wake: ExtensionWake, of payload: SingleSignOnPayload) {
        wakes.take(wake, of: Wakes.Payload(payload), now: settings.surroundings.now())
        saveWakes()
        setAlarm()
    }

    func saveWakes() {
        do {
            try wakes.save()
        } catch {
            logger.warning("when extensions are woken is not written down", metadata: ["reason": "\(error)"])
        }
    }

    /// To be called when other extensions may be asked than before, too: what could not be asked at its time is asked then.
    func setAlarm() {
        alarm?.cancel()
        alarm = nil
        guard !isOver else { return }
        let next = wakes.next { canBeWoken($0) }.map { $0.timeIntervalSince(settings.surroundings.now()) }
        let wait = missedNetworks.contains { canBeWoken($0) } ? 0 : next
        guard wait != nil || wakes.isUnsaved else { return }
        let time = wait.map { TimeAmount.milliseconds(Int64(max(0, min($0, 3600)) * 1000)) } ?? Self.alarmMax
        alarm = loop.scheduleTask(in: min(time, Self.alarmMax)) { self.assumeIsolated { $0.wakeDue() } }
    }

    private func wakeDue() {
        for uuid in wakes.due(at: settings.surroundings.now()) where canBeWoken(uuid) { wake(uuid, .time) }
        for uuid in missedNetworks.sorted() where canBeWoken(uuid) { wake(uuid, .network) }
        saveWakes()
        setAlarm()
    }

    /// This device may have got a network. Called on the event loop.
    func networkMayBeUp() {
        missedNetworks.formUnion(wakes.forNetwork)
        wakeDue()
    }

    /// Not while it is being woken, and not while its program is missing, such as during an upgrade of its package: then it is
    /// asked as soon as that is over.
    private func canBeWoken(_ uuid: String) -> Bool {
        guard !waking.contains(uuid), let payload = payload(uuid) else { return false }
        return check.installation.manifest(of: payload) != nil && isApproved(payload)
    }

    private func payload(_ uuid: String) -> SingleSignOnPayload? {
        check.installation.payloads.first { $0.uuid == uuid }
    }

    /// A redirect extension is asked only while one of its domains agrees.
    private func isApproved(_ payload: SingleSignOnPayload) -> Bool {
        payload.urls.isEmpty
            || payload.urls.contains {
                guard case .covered = check.coverage(of: $0.canonical, responseCode: 0, isOperation: false) else {
                    return false
                }
                return true
            }
    }

    private func wake(_ uuid: String, _ reason: Wakes.Reason) {
        guard let payload = payload(uuid), let manifest = check.installation.manifest(of: payload) else { return }
        if reason == .network { missedNetworks.remove(uuid) }
        waking.insert(uuid)
        let (host, before) = (hosts.host(of: manifest), wakes.wishes[uuid])
        Task {
            let end = await host.perform(
                ExtensionRequest(wakeOf: payload, reason), presenter: NoPresenter(), wake: wakeTaker(payload))
            waking.remove(uuid)
            // Its wish stays in the file, for the next broker.
            guard !isOver else { return }
            switch end {
            case .answered:
                if reason == .time { wakes.useUp(before, of: uuid) }
            case .ended(let why, _):
                logger.warning(
                    "an extension that wanted to be woken has not answered",
                    metadata: ["extension": "\(payload.extensionIdentifier.inShortLine)", "reason": "\(why.rawValue)"])
                // It could name no further time.
                if wakes.wishes[uuid] == before {
                    let time = settings.surroundings.now().addingTimeInterval(Wakes.pauseAfterFailure)
                    take(ExtensionWake(at: time, isForNetwork: before?.isForNetwork ?? false), of: payload)
                }
            }
            saveWakes()
            setAlarm()
        }
    }
}
