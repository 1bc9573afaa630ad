import Administration
import Directory

extension Example {
    package static let pickUps: [Example] = [
        .inquiry { _ in ListPickUps() },
        .inquiry({ _ in ShowPickUp(pickUp: 1) }) { scene, _ in try await scene.addPickUp() },
        .change { _ in SetPickUp(hour: 2) },
        .change({ _ in RemovePickUp(pickUp: 1) }) { scene, _ in try await scene.addPickUp() },
        .change({ _ in ReadPickUp(pickUp: 1) }) { scene, _ in try await scene.addPickUp() },
    ]
}

extension Scene {
    /// Its number is 1.
    fileprivate func addPickUp() async throws { _ = try await self.operator.perform(SetPickUp(hour: 2), in: maple) }
}
