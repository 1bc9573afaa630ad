import Foundation
import Ground

/// A refresh token to be stored, together with the idempotency key for its exchange.
///
/// If a program is killed, or its network fails, after the exchange and before the new token is stored, its next
/// attempt would sign the person out: to the provider, a token that is used twice is a stolen one. A Lanyard server
/// repeats the exchange for the same token with the same key. So both are stored, and both are secret.
public struct KeptRefreshToken: Codable, Hashable, Sendable {
    public let token: String
    /// The `Idempotency-Key` header of the exchange.
    public let idempotencyKey: String

    /// Makes a new key. Store the value before you use it.
    public init(_ token: String) {
        self.token = token
        idempotencyKey = Surroundings.system.randomUUID().uuidString.lowercased()
    }
}

extension KeptRefreshToken: CustomReflectable {
    /// Hides both, so that they do not get into a log.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
