import Ground
import Logging
import NIOCore
import SingleSignOn
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
        wakes.take(wake, of: PayloadPlace(payload), now: settings.surroundings.now())
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

    /// Sets the alarm for the next time at which an extension is to be asked. To be called also when extensions can be asked that could
    /// not be before, such as one that was installed again: its time may have passed.
    func setAlarm() {
        alarm?.cancel()
        alarm = nil
        guard !isOver else { return }
        let next = wakes.next { canBeWoken($0) }.map { $0.timeIntervalSince(settings.surroundings.now()) }
        guard next != nil || wakes.isUnsaved else { return }
        // Rounded up: an alarm a little before the time would find nothing to do.
        let time = next.map { TimeAmount.milliseconds(Int64((max(0, min($0, 3600)) * 1000).rounded(.up))) }
        alarm = loop.scheduleTask(in: min(time ?? Self.alarmMax, Self.alarmMax)) {
            self.assumeIsolated { $0.wakeDue() }
        }
    }

    private func wakeDue() {
        guard !isOver else { return }
        for call in wakes.begin(at: settings.surroundings.now(), where: { canBeWoken($0) }) { wake(call) }
        saveWakes()
        setAlarm()
    }

    /// This device may have got a network. Called on the event loop.
    func networkMayBeUp() {
        wakes.networkMayBeUp(now: settings.surroundings.now())
        wakeDue()
    }

    /// Not while its program is missing, such as during an upgrade of its package: then it is asked as soon as that is over.
    private func canBeWoken(_ uuid: String) -> Bool {
        guard let payload = payload(uuid) else { return false }
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

    private func wake(_ call: Wakes.Call) {
        guard let payload = payload(call.uuid), let manifest = check.installation.manifest(of: payload) else {
            return wakes.end(call, isAnswered: false, now: settings.surroundings.now())
        }
        let host = hosts.host(of: manifest)
        Task {
            let end = await host.perform(
                ExtensionRequest(wakeOf: payload, call.reason), presenter: NoPresenter(), wake: wakeTaker(payload))
            // Its wish stays in the file, for the next broker.
            guard !isOver else { return }
            var isAnswered = true
            if case .ended(let why, _) = end {
                isAnswered = false
                logger.warning(
                    "an extension that wanted to be woken has not answered",
                    metadata: ["extension": "\(payload.extensionIdentifier.inShortLine)", "reason": "\(why.rawValue)"])
            }
            wakes.end(call, isAnswered: isAnswered, now: settings.surroundings.now())
            saveWakes()
            setAlarm()
        }
    }
}
