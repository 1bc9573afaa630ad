import Fixtures
import Foundation
import Schema
import Storage
import TestSupport
import Testing

@testable import Directory

/// What the index of the trail finds is what plain reading of all entries finds.
@Suite struct AuditFilterTests {
    private struct Written {
        let record: AuditRecord
        let mentions: Set<AuditMention>
    }

    @Test("any filter, page by page, gives what reading everything gives", arguments: TestDatabase.available)
    func random(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let pupil = try await school.insertPerson("pupil", .student)
            let written = try await fill(school, 600, about: pupil)
            var random = SystemRandomNumberGenerator()
            for _ in 0..<60 {
                var filter = AuditFilter()
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    filter.mentioning.append((0..<Int.random(in: 1...3)).map { _ in terms.randomElement()! })
                }
                if Bool.random() { filter.outcome = Bool.random() ? .done : .refused }
                let times = (0..<2).map { _ in
                    school.fixed.now.addingTimeInterval(TimeInterval(Int.random(in: -700...0)) + 0.5)
                }.sorted()
                if Bool.random() { filter.from = times[0] }
                if Bool.random() { filter.until = times[1] }
                let limit = Int.random(in: 1...40)
                let expected = written.filter { filter.lets($0.record, $0.mentions) }
                    .sorted { ($0.record.at, $0.record.sequence) > ($1.record.at, $1.record.sequence) }
                    .map(\.record)
                let found = try await all(of: school, filter, limit: limit)
                #expect(found == expected, "\(filter), \(limit)")
            }
            let nothing = try await database.read {
                try AuditRecord.page(
                    of: school.organization.id, matching: AuditFilter(), before: 9_999, limit: 1, in: $0)
            }
            #expect(nothing == nil)
        }
    }

    private let terms: [AuditMention] =
        [.person(PersonID(rawValue: 3)), .app(1), .client("c"), .location(LocationID(rawValue: 1)), .everybody]
        + [.signIn, .personChanged, .rosterRead].map(AuditMention.action)

    private func all(of school: School, _ filter: AuditFilter, limit: Int) async throws -> [AuditRecord] {
        var found: [AuditRecord] = []
        var before: Int?
        while true {
            let (before_, organization) = (before, school.organization.id)
            let page = try await school.database.read {
                try #require(
                    try AuditRecord.page(of: organization, matching: filter, before: before_, limit: limit, in: $0))
            }
            #expect(page.records.count <= limit)
            found += page.records
            guard let next = page.next else { return found }
            before = next
        }
    }

    /// Entries of all kinds, at times that also go back, as clocks do.
    private func fill(_ school: School, _ count: Int, about pupil: Person) async throws -> [Written] {
        let (organization, now) = (school.organization.id, school.fixed.now)
        try await school.database.write { transaction in
            for index in 0..<count {
                let action: AuditEntry.Action = [.signIn, .personChanged, .rosterRead].randomElement()!
                let actor: Actor = [.operator, .client("c"), .person(PersonID(rawValue: 3)), .person(pupil.id)]
                    .randomElement()!
                let subject = ["person:3", "app:1", "location:1", "users", "person:\(pupil.id.rawValue)"]
                    .randomElement()!
                let detail = ["", "at location:1 added", "app:1, ended"].randomElement()!
                try AuditEntry(
                    action, by: actor, on: subject, outcome: Bool.random() ? .done : .refused, detail: detail,
                    from: .system, mentioning: Bool.random() ? [.everybody] : []
                ).append(
                    to: organization, at: now.addingTimeInterval(TimeInterval(index - count + Int.random(in: -5...5))),
                    in: transaction)
            }
        }
        let mentions = try await Self.mentions(school.database)
        return try await school.auditRecords().map { Written(record: $0, mentions: mentions[$0.sequence] ?? []) }
    }

    private static func mentions(_ database: any Database) async throws -> [Int: Set<AuditMention>] {
        try await database.read { transaction in
            let rows = try transaction.all("SELECT sequence, term FROM audit_mention WHERE organization_id > 0") {
                (try $0["sequence"] as Int, AuditMention(term: try $0["term"]))
            }
            return Dictionary(grouping: rows, by: \.0).mapValues { Set($0.map(\.1)) }
        }
    }

    @Test("entries of before the step are found as those of now are", arguments: TestDatabase.available)
    func migrated(_ kind: TestDatabase) async throws {
        typealias Entry = (action: String, actor: String, subject: String, outcome: String, detail: String)
        let entries: [Entry] = [
            ("sign-in", "person:1", "person:1", "refused", "wrong password"),
            ("person.changed", "operator", "person:2", "done", "role student at location:4 added"),
            ("app.sign-in-ended", "person:1", "person:1", "done", "app:9, stopped"),
            ("access-rule.changed", "person:2", "data-sharing", "done", "listed app:12"),
            ("team.changed", "operator", "team:x", "done", "member person:77 added"),
            ("roster.read", "client:a.b", "users", "done", "100 records, ids 5…340 role Student"),
            ("roster.read", "client:a.b", "users", "done", "1 records, ids 4…4"),
            ("roster.read", "client:a.b", "users", "done", "17 records, ids 3…19"),
            ("roster.read", "client:a.b", "users", "done", "0 records, ids none"),
            ("roster.read", "client:a.b", "classes/users", "done", "16 records, ids 0…15"),
            ("roster.read", "client:a.b", "classes", "done", "2 records, ids 900000000000…900000000001"),
            ("roster.read", "client:a.b", "users/one", "done", "user 12"),
            ("roster.read", "client:a.b", "classes/one", "done", "class 12"),
            ("roster.read", "client:a.b", "locations", "done", "1 records, ids 1…1"),
            ("roster.read", "client:a.b", "organization", "done", "organization"),
            ("roster.exported", "operator", "organization:u", "done", "students 3"),
            ("administration.read", "person:1", "organization:1", "done", "person.list"),
            ("administration.read", "client:api-x", "person:2", "done", "person.show"),
            ("consent.granted", "person:1", "app:3", "done", "edu.users.read"),
        ]
        try await kind.with(migrations: Array(Schema.migrations.prefix(32))) { database in
            try await database.write { transaction in
                for (index, entry) in entries.enumerated() {
                    try transaction.execute(
                        """
                        INSERT INTO audit_entry
                            (organization_id, sequence, at, actor, action, subject, outcome, detail, origin, hash)
                        VALUES (1, $1, $2, $3, $4, $5, $6, $7, '', $8)
                        """,
                        [
                            index + 1, 100 + index, entry.actor, entry.action, entry.subject, entry.outcome,
                            entry.detail, [UInt8](),
                        ])
                }
            }
            try await database.migrate(Schema.migrations)
            let found = try await Self.mentions(database)
            for (index, entry) in entries.enumerated() {
                let record = AuditRecord(
                    sequence: index + 1, at: Date(timeIntervalSince1970: TimeInterval(100 + index)), actor: entry.actor,
                    action: entry.action, subject: entry.subject, outcome: entry.outcome, detail: entry.detail,
                    origin: "")
                var expected = AuditMention.all(in: record)
                let numbers = entry.detail.split { !$0.isNumber }.compactMap { Int64($0) }
                switch (entry.action, entry.subject) {
                case ("roster.read", "users"), ("roster.read", "classes/users"):
                    if numbers.count == 3 {
                        expected.formUnion(AuditMention.blocks(of: .people, from: numbers[1], through: numbers[2]))
                    }
                case ("roster.read", "classes"):
                    expected.formUnion(AuditMention.blocks(of: .classes, from: numbers[1], through: numbers[2]))
                case ("roster.read", "users/one"):
                    expected.formUnion(AuditMention.blocks(of: .people, from: numbers[0], through: numbers[0]))
                case ("roster.read", "classes/one"):
                    expected.formUnion(AuditMention.blocks(of: .classes, from: numbers[0], through: numbers[0]))
                case ("roster.exported", _), ("administration.read", "organization:1"): expected.insert(.everybody)
                default: break
                }
                #expect(found[index + 1] == expected, "\(entry)")
            }
        }
    }

    @Test func `an id is in one of the blocks of each range that has it`() {
        for _ in 0..<2_000 {
            let first = Int64.random(in: 0...Int64(1) << Int64.random(in: 1...60))
            let last = first + Int64.random(in: 0...Int64(1) << Int64.random(in: 1...40))
            let blocks = Set(AuditMention.blocks(of: .people, from: first, through: last))
            #expect((1...2).contains(blocks.count))
            for id in [first, last, Int64.random(in: first...last)] {
                #expect(!blocks.isDisjoint(with: AuditMention.blocks(of: .people, around: id)))
                #expect(blocks.isDisjoint(with: AuditMention.blocks(of: .classes, around: id)))
            }
        }
    }

    @Test func `runs of ids are read as they were written`() {
        for _ in 0..<500 {
            let ids = Set((0..<Int.random(in: 0...50)).map { _ in Int64.random(in: 0...80) })
            let runs = IDRuns(ids.shuffled())
            #expect(IDRuns(runs.text) == runs)
            for id in Int64(0)...81 { #expect(runs.contains(id) == ids.contains(id)) }
        }
        #expect(IDRuns([3, 1, 2, 7]).text == "1-3,7" && IDRuns([]).text == "none")
        for text in ["", "1…3", "3-1", "1-", "x", "1,,2", "1-2-3"] { #expect(IDRuns(text) == nil, "\(text)") }
        for ids: [Int64] in [[.max], [.max - 1, .max, .max], [0, .max], [0, 0, 1]] {
            #expect(IDRuns(IDRuns(ids).text) == IDRuns(ids))
        }
        let all = "0-\(Int64.max)"
        #expect(IDRuns(all)?.text == all)
    }

    @Test func `a page whose ids have gaps everywhere takes eight bytes a record`() {
        let ids = (0..<1_000).map { Int64(9_000_000 + 2 * $0) }
        #expect(IDRuns(ids).text.utf8.count == 7_999)
    }
}

extension AuditFilter {
    fileprivate func lets(_ record: AuditRecord, _ mentions: Set<AuditMention>) -> Bool {
        mentioning.allSatisfy { !mentions.isDisjoint(with: $0) }
            && (outcome.map { $0.rawValue == record.outcome } ?? true) && (from.map { record.at >= $0 } ?? true)
            && (until.map { record.at < $0 } ?? true)
    }
}
