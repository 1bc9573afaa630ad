import Foundation
import Ground

/// A refresh token as it is kept, together with the key with which it will be exchanged.
///
/// A program that is killed, or whose network fails, between the exchange and the moment when the new token is kept would be
/// signed out by its next try: to the provider a spent token is a stolen one. A Lanyard server makes the exchange again for
/// whoever shows the same token with the same key; so both are kept, and both are as secret.
public struct KeptRefreshToken: Codable, Hashable, Sendable {
    public let token: String
    public let idempotencyKey: String

    /// With a new key: keep it before you use it.
    public init(_ token: String) {
        self.token = token
        idempotencyKey = Surroundings.system.randomUUID().uuidString.lowercased()
    }
}

extension KeptRefreshToken: CustomReflectable {
    /// Without either, so that they do not get into a log.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
