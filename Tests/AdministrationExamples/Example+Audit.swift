import Administration
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport

extension Example {
    package static let audit: [Example] = [
        .inquiry { ListAudit(person: $0) },
        .inquiry { ListReaders(person: $0) },
        .inquiry({ _ in ExportAudit() }, after: fillTrail),
        .inquiry({ _ in AskForTimestamp() }, after: fillTrail),
        .changeInScene({ try await anchor($1) }, after: fillTrail),
    ]

    private static let fillTrail: Prepare = { scene, person in
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
