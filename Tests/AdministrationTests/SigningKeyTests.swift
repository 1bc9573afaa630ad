import Administration
import AdministrationExamples
import Authorization
import Directory
import Fixtures
import Foundation
import Ground
import Storage
import TestSupport
import Testing

@Suite struct SigningKeyTests {
    private static func states(_ scene: Scene) async throws -> [SigningKeyRecord.State] {
        try await scene.operator.ask(ListSigningKeys()).keys.map(\.state)
    }

    @Test(
        "a new key waits until apps have it, or signs at once and retires all others", arguments: TestDatabase.available
    )
    func rotates(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let administrator = scene.operator
            #expect(try await Self.states(scene) == [])
            let first = try await administrator.perform(RotateSigningKeys(now: true, algorithm: .es256))
            #expect(first.answer.made.count == 1 && first.answer.retired == [] && first.change == nil)
            let next = try await administrator.perform(RotateSigningKeys(algorithm: .es256)).answer
            #expect(next.keys.map(\.state) == [.signing, .next])
            #expect(next.keys.last?.signsFrom == scene.school.fixed.now + SigningKeys.notice)
            scene.school.fixed.advance(by: SigningKeys.notice)
            #expect(try await Self.states(scene) == [.former, .signing])

            let urgent = try await administrator.perform(RotateSigningKeys(now: true))
            #expect(urgent.answer.retired == first.answer.made + next.made && urgent.answer.made.count == 2)
            #expect(
                urgent.effects.map(\.action) == [
                    "signing-key.created", "signing-key.created", "signing-key.retired", "signing-key.retired",
                ])
            #expect(Set(try await Self.states(scene)) == [.signing, .retired])
            let keys = try await SigningKeys.load(
                from: scene.database, under: MasterKey(bytes: [UInt8](repeating: 5, count: 32)),
                surroundings: scene.school.fixed.surroundings)
            for algorithm in SigningAlgorithm.allCases {
                #expect(urgent.answer.made.contains(try await keys.current(algorithm).keyID))
            }
        }
    }

    @Test(
        "a key is retired once, and the one that signs only if another one follows it",
        arguments: TestDatabase.available)
    func retires(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let administrator = scene.operator
            await #expect(throws: OperationError.notFound(.signingKey, "NOSUCHKEY", in: nil)) {
                try await administrator.perform(RetireSigningKey(key: "NOSUCHKEY"))
            }
            let key = try #require(
                try await administrator.perform(RotateSigningKeys(now: true, algorithm: .es256)).answer.made.first)
            let last = await #expect(throws: OperationError.self) {
                try await administrator.perform(RetireSigningKey(key: key))
            }
            guard case .refused(_, let remedy?) = last else {
                Issue.record("\(String(describing: last))")
                return
            }
            #expect(remedy.operation == RotateSigningKeys.name)
            // Keys are listed by the time when they were made, and a clock that stands gives both the same.
            scene.school.fixed.advance(by: 1)
            let follower = try await administrator.perform(RotateSigningKeys(algorithm: .es256)).answer.made
            let done = try await administrator.perform(RetireSigningKey(key: key))
            #expect(done.answer.retired == [key] && done.answer.keys.map(\.state) == [.retired, .signing])
            #expect(done.answer.keys.last?.keyID == follower.first)
            await #expect(throws: OperationError.refused("The signing key \(key) was retired before.")) {
                try await administrator.perform(RetireSigningKey(key: key))
            }
            #expect(
                try await scene.trail(ofServer: true).suffix(1) == ["operator signing-key.retired key:\(key) done "])
        }
    }

    @Test("nobody but the operator sees or changes a key of the server")
    func refused() async throws {
        try await Scene.with(.sqlite) { scene in
            let head = try await scene.holder(of: .administrator, at: nil)
            let administrator = scene.administrator(.person(head.id))
            await #expect(throws: OperationError.forbidden(.operateServer)) {
                try await administrator.ask(ListSigningKeys())
            }
            await #expect(throws: OperationError.forbidden(.operateServer)) {
                try await administrator.perform(RotateSigningKeys(now: true))
            }
            #expect(try await Self.states(scene) == [])
        }
    }
}
