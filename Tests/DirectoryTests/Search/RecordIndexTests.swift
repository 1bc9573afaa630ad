import Fixtures
import Foundation
import SeededNumbers
import Storage
import TestSupport
import Testing

@testable import Directory

/// The indexes of classes and locations, as ``PersonIndexTests`` has it for people.
@Suite struct RecordIndexTests {
    @Test(
        "a search by the index finds exactly what the rule finds, while records come, change, are archived and go",
        arguments: TestDatabase.available)
    func sameAsTheRule(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let maple = try await School.insert(in: database)
            let oak = try await School.insert(in: database, maple.fixed, name: "Oak")
            var registry = Registry()
            let organizations = [maple.organization.id, oak.organization.id]
            for _ in 0..<12 {
                let now = maple.fixed.now
                registry = try await database.write { [registry] transaction in
                    var registry = registry
                    for organization in organizations {
                        for _ in 0..<12 { try registry.add(to: organization, at: now, in: transaction) }
                    }
                    for _ in 0..<12 { try registry.change(at: now, in: transaction) }
                    // Some are in the index, some are not, and some are there under a former name.
                    _ = try SearchIndex<ManagedClass>.bringInBatch(of: registry.number(upTo: 50), in: transaction)
                    _ = try SearchIndex<Location>.bringInBatch(of: registry.number(upTo: 50), in: transaction)
                    return registry
                }
                for organization in organizations {
                    for isArchived in [false, true] {
                        try await registry.compareClasses(of: organization, archived: isArchived, in: database)
                    }
                    try await registry.compareLocations(of: organization, in: database)
                }
            }
            try await SearchIndexes.bringUpToDate(in: database)
            #expect(try await SearchIndexCheck.differences(in: database) == [])
        }
    }

    @Test(
        "records are found by a new name of each kind, and not by the former one, and removed ones leave the index",
        arguments: TestDatabase.available)
    func renamed(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let organization = school.organization.id
            let id = try await school.insertClass("Choir", students: [])
            for column in ["name", "display_name", "number", "source_id"] {
                for value in ["\(column) one", "\(column) two"] {
                    try await database.write {
                        try $0.execute("UPDATE class SET \(column) = $2 WHERE id = $1", [id, value])
                    }
                    for _ in 0..<2 {
                        let found = try await Registry.classes(value, of: organization, in: database)
                        #expect(found.map(\.id) == [id], "\(value)")
                        try await SearchIndexes.bringUpToDate(in: database)
                    }
                }
                #expect(try await Registry.classes("\(column) one", of: organization, in: database).isEmpty)
            }
            for column in ["name", "source_id", "domain_name"] {
                for value in ["\(column) one", "\(column) two"] {
                    try await database.write {
                        try $0.execute(
                            "UPDATE location SET \(column) = $2 WHERE id = $1", [school.location.id, value])
                    }
                    for _ in 0..<2 {
                        let found = try await Registry.locations(value, of: organization, in: database)
                        #expect(found.map(\.id) == [school.location.id], "\(value)")
                        try await SearchIndexes.bringUpToDate(in: database)
                    }
                }
                #expect(try await Registry.locations("\(column) one", of: organization, in: database).isEmpty)
            }
            try await database.write { transaction in
                try ManagedClass.find(id, in: organization, transaction)?.remove(in: transaction)
            }
            #expect(try await Registry.classes("choir", of: organization, in: database).isEmpty)
            try await SearchIndexes.bringUpToDate(in: database)
            #expect(try await !database.read { try $0.exists("SELECT 1 FROM class_search") })
            #expect(try await SearchIndexCheck.differences(in: database) == [])
        }
    }

    @Test(
        "PostgreSQL has nothing left to put into the index, and knows how many records have which words",
        .enabled(if: TestDatabase.postgresURL != nil, "set LANYARD_TEST_POSTGRES, or run `make test`"))
    func settled() async throws {
        try await TestDatabase.postgres.with { database in
            let school = try await School.insert(in: database)
            try await database.write { transaction in
                for number in 0..<1_200 {
                    _ = try RosterClass.insert(
                        in: school.organization.id, sourceID: nil, name: "Class \(number)", displayName: nil,
                        number: nil,
                        at: school.fixed.now, in: transaction)
                }
            }
            try await database.session { try $0.script("CREATE EXTENSION pgstattuple") }
            func waiting() async throws -> Int? {
                try await database.read { transaction in
                    try transaction.first("SELECT pending_tuples FROM pgstatginindex('class_search_words')") {
                        try $0[0]
                    }
                }
            }
            _ = try await database.write { try SearchIndex<ManagedClass>.bringInBatch(of: 100, in: $0) }
            #expect(try await waiting() == 100)
            try await SearchIndexes.bringUpToDate(in: database)
            #expect(try await waiting() == 0)
            #expect(
                try await database.read {
                    try $0.exists("SELECT 1 FROM pg_stats WHERE tablename = 'class_search' AND attname = 'words'")
                })
        }
    }

    @Test("nothing waits for the index whose names have stayed", arguments: TestDatabase.available)
    func unchanged(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let id = try await school.insertClass("Choir", students: [])
            try await SearchIndexes.bringUpToDate(in: database)
            let (organization, now) = (school.organization.id, school.fixed.now.addingTimeInterval(60))
            try await database.write { transaction in
                let choir = try #require(try ManagedClass.find(id, in: organization, transaction))
                try choir.update(choir.fields, at: now, in: transaction)
                try choir.archive(at: now, in: transaction)
                try school.location.update(
                    name: school.location.name, domainName: nil, timeZone: "Asia/Tokyo", studentPasswordPolicy: nil,
                    at: now, in: transaction)
            }
            let waits = try await database.read { transaction in
                (
                    try SearchIndex<ManagedClass>.isWaiting(in: transaction),
                    try SearchIndex<Location>.isWaiting(in: transaction)
                )
            }
            #expect(waits == (false, false))
        }
    }
}

/// Made-up classes and locations, and questions for them.
private struct Registry: Sendable {
    private var random = SeededGenerator(seed: 54)
    private var classes: [ClassID] = []
    private var locations: [LocationID] = []

    mutating func number(upTo limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    private mutating func name() -> String {
        (0...number(upTo: 2)).map { _ in SearchedNames.all[number(upTo: SearchedNames.all.count)] }
            .joined(separator: " ")
    }

    mutating func add(to organization: OrganizationID, at now: Date, in transaction: WriteTransaction) throws {
        let key = classes.count
        classes.append(
            try RosterClass.insert(
                in: organization, sourceID: number(upTo: 3) == 0 ? "K-\(key)" : nil, name: name(),
                displayName: number(upTo: 3) == 0 ? name() : nil, number: number(upTo: 3) == 0 ? "N\(key)" : nil,
                at: now, in: transaction))
        locations.append(
            try Location.insert(
                in: organization, sourceID: number(upTo: 3) == 0 ? "L-\(key)" : nil, name: name(),
                domainName: number(upTo: 3) == 0 ? "site\(key).maple.example" : nil, at: now, in: transaction
            ).id)
    }

    mutating func change(at now: Date, in transaction: WriteTransaction) throws {
        let (rosterClass, location) = (classes[number(upTo: classes.count)], locations[number(upTo: locations.count)])
        switch number(upTo: 6) {
        case 0: try transaction.execute("DELETE FROM class WHERE id = $1", [rosterClass])
        case 1: try transaction.execute("DELETE FROM location WHERE id = $1", [location])
        case 2:
            for (table, id) in [("class", rosterClass.rawValue), ("location", location.rawValue)] {
                try transaction.execute("UPDATE \(table) SET archived_at = $2 WHERE id = $1", [id, now])
            }
        case 3:
            try transaction.execute("UPDATE class SET number = $2 WHERE id = $1", [rosterClass, name()])
        default:
            for (table, id) in [("class", rosterClass.rawValue), ("location", location.rawValue)] {
                try transaction.execute("UPDATE \(table) SET name = $2 WHERE id = $1", [id, name()])
            }
        }
    }

    mutating func compareClasses(
        of organization: OrganizationID, archived isArchived: Bool, in database: any Database
    ) async throws {
        var filter = ManagedClass.Filter()
        filter.isArchived = isArchived
        let all = try await database.read { [filter] in
            try ManagedClass.page(of: organization, matching: filter, after: .none, limit: 10_000, in: $0)
        }
        guard !all.isEmpty else { return }
        for _ in 0..<15 {
            let text = question(about: all)
            let (after, limit, readAllMax) = (number(upTo: 3) == 0 ? pick(all).id : .none, limit(), readAllMax())
            let search = try Search<ManagedClass>(text)
            let expected = all.filter { $0.id > after && search.finds($0) }.prefix(limit)
            filter.text = text
            let found = try await database.read { [filter] in
                try ManagedClass.page(
                    of: organization, matching: filter, after: after, limit: limit, readingAllUpTo: readAllMax, in: $0)
            }
            #expect(found == Array(expected), "\(text) after \(after)")
        }
    }

    mutating func compareLocations(of organization: OrganizationID, in database: any Database) async throws {
        let all = try await database.read { try Location.page(of: organization, limit: 10_000, in: $0) }
        for _ in 0..<15 {
            let text = question(about: all)
            let (after, limit, readAllMax) = (number(upTo: 3) == 0 ? pick(all).id : .none, limit(), readAllMax())
            let search = try Search<Location>(text)
            let expected = all.filter { $0.id > after && search.finds($0) }.prefix(limit)
            let found = try await database.read {
                try Location.page(
                    of: organization, matching: text, after: after, limit: limit, readingAllUpTo: readAllMax, in: $0)
            }
            #expect(found == Array(expected), "\(text) after \(after)")
        }
    }

    private mutating func pick<Record>(_ all: [Record]) -> Record { all[number(upTo: all.count)] }
    private mutating func limit() -> Int { 1 + number(upTo: 30) }
    /// Mostly by the index, although the school is small.
    private mutating func readAllMax() -> Int { number(upTo: 5) == 0 ? 1_000 : 0 }

    /// A name, a piece of one, pieces of two fields, a number, or something that is in none.
    private mutating func question<Record: Searchable>(about all: [Record]) -> String {
        let record = pick(all)
        let fields = record.searchedTexts.compactMap(\.self)
        switch number(upTo: 8) {
        case 0: return pick(SearchedNames.all)
        case 1: return "\(Record.numberPrefix)\(record.id.rawValue)"
        case 2: return " \(record.id.rawValue) "
        case 3:
            return pick(["zq", "%", "_", "", " ", "in0in", "4eba", "maple", "a", "1 2 3 4 5 6 7 8 9 10 11", "PE-3"])
        case 4, 5: return [piece(of: fields), piece(of: fields)].joined(separator: " ")
        default: return piece(of: fields)
        }
    }

    private mutating func piece(of fields: [String]) -> String {
        let field = Array(pick(fields).unicodeScalars)
        let start = number(upTo: field.count)
        var piece = ""
        piece.unicodeScalars.append(contentsOf: field[start..<min(field.count, start + 1 + number(upTo: 5))])
        return number(upTo: 2) == 0 ? piece.uppercased() : piece
    }

    static func classes(
        _ text: String, of organization: OrganizationID, in database: any Database
    ) async throws -> [ManagedClass] {
        try await database.read { transaction in
            var filter = ManagedClass.Filter()
            filter.text = text
            return try ManagedClass.page(
                of: organization, matching: filter, after: .none, limit: 100, readingAllUpTo: 0, in: transaction)
        }
    }

    static func locations(
        _ text: String, of organization: OrganizationID, in database: any Database
    ) async throws -> [Location] {
        try await database.read {
            try Location.page(of: organization, matching: text, limit: 100, readingAllUpTo: 0, in: $0)
        }
    }
}
