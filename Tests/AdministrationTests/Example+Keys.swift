import Administration
import Authorization
import Directory
import Fixtures
import Storage

extension Example {
    /// What the operator does with the server's signing keys.
    static let keys: [Example] = [
        .inquiry { _ in ListSigningKeys() },
        .change { _ in RotateSigningKeys(now: true, algorithm: .es256) },
        Example(
            name: RetireSigningKey.name,
            prepare: { scene, _ in
                _ = try await scene.operator.perform(RotateSigningKeys(now: true, algorithm: .es256))
                _ = try await scene.operator.perform(RotateSigningKeys(algorithm: .es256))
            },
            perform: { administrator, _, scene in
                try await administrator.perform(RetireSigningKey(key: try await scene.signingKey())).effects
            },
            preview: { administrator, _, scene in
                try await administrator.preview(RetireSigningKey(key: try await scene.signingKey()))
            }),
    ]
}

extension Scene {
    /// The key that signs with ES256.
    func signingKey() async throws -> String {
        try await self.operator.ask(ListSigningKeys()).keys.first { $0.state == .signing }?.keyID ?? ""
    }
}
