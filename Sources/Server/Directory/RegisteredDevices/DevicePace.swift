import Foundation
import Ground
import Synchronization

/// Limits how often a device may sign its person in, because each time costs a write and an audit entry: twenty times
/// at once, then once in five seconds. A broken device cannot fill the disk.
///
/// It is held in memory like ``FailureBudget``; with several nodes, each has its own.
final class DevicePace: Sendable {
    static let rate = TokenBucket.Rate(burst: 20, perSecond: 0.2)
    static let rememberedMax = 10_000

    private let now: @Sendable () -> Date
    private let buckets = Mutex(TokenBuckets<RegisteredDeviceID>(rate, max: rememberedMax))

    init(now: @escaping @Sendable () -> Date) { self.now = now }

    /// - Throws: ``DeviceRefusal/tooManyAttempts(seconds:)``
    func take(_ device: RegisteredDeviceID) throws {
        let now = now()
        guard let wait = buckets.withLock({ $0.take(device, at: now) }) else { return }
        throw DeviceRefusal.tooManyAttempts(seconds: max(1, Int(wait.rounded(.up))))
    }
}
