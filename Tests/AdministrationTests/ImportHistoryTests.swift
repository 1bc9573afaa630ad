import Administration
import AdministrationExamples
import Directory
import Fixtures
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct ImportHistoryTests {
    @Test(
        "imports are listed from the newest on, in pages, without those of others", arguments: TestDatabase.available)
    func pages(_ kind: TestDatabase) async throws {
        try await Scene.with(kind) { scene in
            let (organization, now) = (scene.school.organization.id, scene.school.fixed.now)
            try await scene.database.write { transaction in
                let oak = try Organization.insert(name: "Oak", kind: .school, at: now, in: transaction)
                for number in 1...5 {
                    let counts =
                        #"{"inFile":9,"existing":4,"added":\#(number),"changed":2,"deactivated":1,"#
                        + #""reactivated":0,"unchanged":3}"#
                    let schools =
                        number == 4 ? #","schools":[{"id":"LO:7","locationID":"high","name":"Maple High"}]"# : ""
                    try transaction.execute(
                        """
                        INSERT INTO roster_import (organization_id, digest, summary, applied_at, undone_at)
                        VALUES ($1, $2, $3, $4, $5)
                        """,
                        [
                            number == 3 ? oak.id : organization, "digest \(number)",
                            #"{"students":\#(counts)\#(schools)}"#, now,
                            number == 5 ? now : nil as Date?,
                        ])
                }
            }
            let first = try await scene.operator.ask(ListImports(limit: 3), in: scene.maple)
            #expect(first.imports.map(\.digest) == ["digest 5", "digest 4", "digest 2"])
            #expect(first.imports.map { $0.schools?.map(\.name) } == [nil, ["Maple High"], nil])
            #expect(first.imports.map { $0.undoneAt != nil } == [true, false, false])
            #expect(first.imports.map { $0.effects["students"]?.added } == [5, 4, 2])
            let second = try await scene.operator.ask(ListImports(before: first.next, limit: 3), in: scene.maple)
            #expect(second.imports.map(\.digest) == ["digest 1"] && second.next == nil)
            for limit in [0, 1_001] {
                await #expect(throws: OperationError.self) {
                    try await scene.operator.ask(ListImports(limit: limit), in: scene.maple)
                }
            }
        }
    }
}
