import Directory
import Foundation
import Storage
import TestSupport
import Testing

@testable import RosterFiles

/// Imports that say to which term their classes belong.
@Suite struct TermImportTests {
    private static func makeTerms(in district: District) async throws {
        let (id, now) = (district.organization.id, district.now)
        try await district.database.write { transaction in
            for year in [2025, 2026] {
                let days = [CalendarDay("\(year)-08-17"), CalendarDay("\(year + 1)-07-02")].compactMap(\.self)
                _ = try Term.insert(
                    in: id, name: "\(year)", firstDay: days[0], lastDay: days[1], location: nil, at: now,
                    in: transaction)
            }
        }
    }

    private static func terms(of district: District) async throws -> [String] {
        try await district.select(
            """
            SELECT c.source_id || ' ' || COALESCE(t.name, '-') || CASE WHEN c.archived_at IS NULL THEN '' ELSE ' archived' END
            FROM class AS c LEFT JOIN term AS t ON t.id = c.term_id ORDER BY c.id
            """)
    }

    /// The example in the next year: the same people in other classes.
    private static let next = RosterTexts.example
        .replacing("K-READ1-A,", with: "K-READ1-B,", in: .classes)
        .replacing("K-BIO8-1,", with: "K-BIO8-2,", in: .classes)
        .replacing("R-000001,K-READ1-A", with: "R-000001,K-READ1-B", in: .rosters)
        .replacing("R-000002,K-READ1-A", with: "R-000002,K-READ1-B", in: .rosters)
        .replacing("R-000003,K-BIO8-1", with: "R-000003,K-BIO8-2", in: .rosters)
        .replacing("R-000004,K-BIO8-1", with: "R-000004,K-BIO8-2", in: .rosters)

    @Test(
        "the classes of a year go with it, and undo brings them back byte for byte", arguments: TestDatabase.available)
    func years(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await Self.makeTerms(in: district)
            try await district.apply(.example, term: "2025")
            #expect(try await Self.terms(of: district) == ["K-READ1-A 2025", "K-BIO8-1 2025"])
            let before = try await district.dump()

            let held = try await district.apply(Self.next, term: "2026")
            #expect(held.outcome == .held)
            let reason = try #require(held.held.first { $0.rule == .endedTerm })
            #expect(reason.term == "2025" && reason.count == 2)
            #expect(
                reason.description
                    == "The term 2025 would end: apps would see none of its 2 classes any more (\(reason.classList)).")
            let classes = try #require(reason.classes)
            #expect(Set(classes) == ["Reading 1 A", "Biology 8 1"])
            #expect(reason.classList == classes.joined(separator: ", "))
            #expect(try await district.dump() == before)
            // The approval is for this term: without it the plan is another.
            #expect(try await district.apply(Self.next, approval: held.planID).outcome == .held)

            let applied = try await district.apply(Self.next, approval: held.planID, term: "2026")
            #expect(applied.outcome == .applied)
            #expect(
                try await Self.terms(of: district) == [
                    "K-READ1-A 2025 archived", "K-BIO8-1 2025 archived", "K-READ1-B 2026", "K-BIO8-2 2026",
                ])
            try await district.undo()
            let undone = try await district.dump()
            #expect(Set(before).subtracting(undone) == [])
            #expect(Set(undone).subtracting(before).count == 2)
            #expect(try await district.apply(.example, term: "2025").outcome == .nothingToDo)
        }
    }

    @Test("a closed term is not held, and a class that comes back is not in it", arguments: TestDatabase.available)
    func closed(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let district = try await District(in: database)
            try await Self.makeTerms(in: district)
            try await district.apply(.example, term: "2025")
            district.advance()
            let (id, now) = (district.organization.id, district.now)
            try await database.write { transaction in
                try Term.find("2025", in: id, transaction)?.close(at: now, in: transaction)
            }
            let before = try await district.dump()
            let report = try await district.apply(Self.next, term: "2026")
            #expect(report.outcome == .applied, "\(report.held)")
            try await district.undo()
            #expect(Set(before).subtracting(try await district.dump()) == [])

            let back = try await district.force(.example)
            #expect(back.outcome == .applied)
            #expect(try await Self.terms(of: district).prefix(2) == ["K-READ1-A -", "K-BIO8-1 -"])
            try await district.undo()
            #expect(Set(before).subtracting(try await district.dump()) == [])
        }
    }

    @Test("a term that there is not, or that is closed, changes nothing")
    func refused() async throws {
        try await TestDatabase.sqlite.with { database in
            let district = try await District(in: database)
            await #expect(throws: RosterImportError.unknownTerm("2025")) {
                try await district.apply(.example, term: "2025")
            }
            try await Self.makeTerms(in: district)
            let (id, now) = (district.organization.id, district.now)
            try await database.write { transaction in
                try Term.find("2025", in: id, transaction)?.close(at: now, in: transaction)
            }
            await #expect(throws: RosterImportError.closedTerm("2025")) {
                try await district.apply(.example, term: "2025")
            }
            #expect(try await district.select("SELECT source_id FROM class") == [])
        }
    }
}
