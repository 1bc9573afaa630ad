import Administration
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport

extension Example {
    static let audit: [Example] = [
        .inquiry { ListAudit(person: $0) },
        .inquiry { ListReaders(person: $0) },
        .ofTrail { _ in ExportAudit() },
        .ofTrail { _ in AskForTimestamp() },
        Example(
            name: AnchorAudit.name, prepare: fillTrail,
            perform: { try await $0.perform(try await anchor($2)).effects },
            preview: { try await $0.preview(try await anchor($2)) }),
    ]

    private static func ofTrail<I: Inquiry>(_ make: @escaping @Sendable (Scene) -> I) -> Example {
        Example(
            name: I.name, prepare: fillTrail,
            perform: { administrator, _, scene in
                _ = try await administrator.ask(make(scene))
                return []
            },
            preview: nil)
    }

    private static let fillTrail: @Sendable (Scene, Person) async throws -> Void = { scene, person in
        try await scene.append(
            AuditEntry(
                .signIn, by: .person(person.id), on: "person:\(person.id.rawValue)", outcome: .done, from: .system))
    }

    /// A timestamp for the first entry.
    private static func anchor(_ scene: Scene) async throws -> AnchorAudit {
        let organization = scene.school.organization.id
        let hash = try await scene.database.read { try AuditRecord.hash(at: 1, of: organization, in: $0) } ?? []
        return AnchorAudit(reply: Data(DER.timestampReply(for: hash, at: "20260901080000Z")).base64EncodedString())
    }
}
