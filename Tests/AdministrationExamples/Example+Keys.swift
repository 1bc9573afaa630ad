import Administration
import Authorization
import Directory
import Fixtures
import Storage

extension Example {
    /// What the operator does with the server's signing keys.
    package static let keys: [Example] = [
        .inquiry { _ in ListSigningKeys() },
        .change { _ in RotateSigningKeys(now: true, algorithm: .es256) },
        .changeInScene({ RetireSigningKey(key: try await $1.signingKey()) }) { scene, _ in
            _ = try await scene.operator.perform(RotateSigningKeys(now: true, algorithm: .es256))
            _ = try await scene.operator.perform(RotateSigningKeys(algorithm: .es256))
        },
    ]
}

extension Scene {
    /// The key that signs with ES256.
    package func signingKey() async throws -> String {
        try await self.operator.ask(ListSigningKeys()).keys.first { $0.state == .signing }?.keyID ?? ""
    }
}
