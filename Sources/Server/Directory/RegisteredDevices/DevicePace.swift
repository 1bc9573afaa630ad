import Foundation
import Synchronization

/// How often a device may sign its person in: each time costs a write and an audit entry. Twenty times at once, then once
/// in five seconds: one that is broken fills no disk.
///
/// It is held in memory, as ``FailureBudget`` is; several nodes have one each.
final class DevicePace: Sendable {
    static let burst = 20.0
    static let perSecond = 0.2
    /// Beyond it those that are full again are forgotten: a device is full after 100 seconds.
    static let rememberedMax = 10_000

    private struct Bucket {
        var tokens: Double
        var filledAt: Date
    }

    private let now: @Sendable () -> Date
    private let buckets = Mutex<[RegisteredDeviceID: Bucket]>([:])

    init(now: @escaping @Sendable () -> Date) { self.now = now }

    /// - Throws: ``DeviceRefusal/tooManyAttempts(seconds:)``
    func take(_ device: RegisteredDeviceID) throws {
        let now = now()
        try buckets.withLock { buckets in
            var bucket = filled(buckets[device], at: now)
            defer { buckets[device] = bucket }
            guard bucket.tokens >= 1 else {
                let seconds = Int(((1 - bucket.tokens) / Self.perSecond).rounded(.up))
                throw DeviceRefusal.tooManyAttempts(seconds: max(1, seconds))
            }
            bucket.tokens -= 1
            if buckets.count > Self.rememberedMax {
                buckets = buckets.filter { filled($0.value, at: now).tokens < Self.burst }
            }
        }
    }

    private func filled(_ bucket: Bucket?, at now: Date) -> Bucket {
        guard let bucket else { return Bucket(tokens: Self.burst, filledAt: now) }
        let elapsed = max(0, now.timeIntervalSince(bucket.filledAt))
        return Bucket(tokens: min(Self.burst, bucket.tokens + elapsed * Self.perSecond), filledAt: now)
    }
}
