import Fixtures
import Foundation
import SeededNumbers
import Storage
import TestSupport
import Testing

@testable import Directory

@Suite struct PersonIndexTests {
    @Test(
        "a search by the index finds exactly those whom the rule finds, while people come, change their names and go",
        arguments: TestDatabase.available)
    func sameAsTheRule(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let maple = try await School.insert(in: database)
            let oak = try await School.insert(in: database, maple.fixed, name: "Oak")
            var crowd = Crowd()
            let organizations = [maple.organization.id, oak.organization.id, nil]
            for _ in 0..<12 {
                let now = maple.fixed.now
                crowd = try await database.write { [crowd] transaction in
                    var crowd = crowd
                    for organization in organizations {
                        for _ in 0..<15 { try crowd.add(to: organization, at: now, in: transaction) }
                    }
                    for _ in 0..<10 { try crowd.change(at: now, in: transaction) }
                    // Some are in the index, some are not, and some are there under a former name.
                    _ = try SearchIndex<Person>.bringInBatch(of: crowd.number(upTo: 60), in: transaction)
                    return crowd
                }
                for organization in organizations {
                    let everybody = try await database.read {
                        try Person.page(of: organization, matching: PersonFilter(), limit: 10_000, in: $0)
                    }
                    for _ in 0..<25 {
                        let text = crowd.question(about: everybody)
                        let after =
                            crowd.number(upTo: 3) == 0 ? everybody[crowd.number(upTo: everybody.count)].id : .none
                        let limit = 1 + crowd.number(upTo: 30)
                        let search = try Search<Person>(text)
                        // Mostly by the index, although the school is small.
                        let readAllMax = crowd.number(upTo: 5) == 0 ? 1_000 : 0
                        let expected = everybody.filter { $0.id > after && search.finds($0) }.prefix(limit)
                        let found = try await database.read {
                            try Person.page(
                                of: organization, matching: PersonFilter(text: text), after: after, limit: limit,
                                readingAllUpTo: readAllMax, in: $0)
                        }
                        #expect(found == Array(expected), "\(text) after \(after)")
                    }
                }
            }
        }
    }

    @Test(
        "who is in the index is found by a new name of each kind, and not by the former one",
        arguments: TestDatabase.available)
    func renamed(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let person = try await school.insertPerson("Nadia", .student)
            for column in [
                "given_name", "middle_name", "family_name", "user_name", "email", "source_id", "person_number",
            ] {
                for value in ["\(column) one", "\(column) two"] {
                    try await database.write {
                        try $0.execute("UPDATE person SET \(column) = $2 WHERE id = $1", [person.id, value])
                    }
                    for _ in 0..<2 {
                        #expect(try await Self.found(value, in: school) == [person.id], "\(value)")
                        try await SearchIndex<Person>.bringUpToDate(in: database)
                    }
                }
                #expect(try await Self.found("\(column) one", in: school) == [])
            }
        }
    }

    @Test(
        "nobody waits for the index whose names have stayed, and nobody is in it who was erased",
        arguments: TestDatabase.available)
    func rows(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            let (stays, goes) = (
                try await school.insertPerson("Stays", .student), try await school.insertPerson("Goes", .student)
            )
            try await SearchIndex<Person>.bringUpToDate(in: database)
            #expect(try await Self.indexed(in: database) == [stays.id, goes.id])
            try await school.deactivate(stays)
            let now = school.fixed.now
            try await database.write { transaction in
                try transaction.execute("UPDATE person SET given_name = 'Stays' WHERE id = $1", [stays.id])
                try goes.erase(at: now, in: transaction)
            }
            #expect(try await !database.read { try SearchIndex<Person>.isWaiting(in: $0) })
            #expect(try await Self.indexed(in: database) == [stays.id])
        }
    }

    @Test(
        "an index that is brought up to date beside writers loses none of their names",
        arguments: TestDatabase.available)
    func together(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            let school = try await School.insert(in: database)
            var people: [Person] = []
            for index in 0..<20 { people.append(try await school.insertPerson("p\(index)", .student)) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for person in people {
                    group.addTask {
                        for round in 0...4 {
                            try await database.write {
                                try $0.execute(
                                    "UPDATE person SET family_name = $2 WHERE id = $1", [person.id, "name\(round)"])
                            }
                        }
                    }
                }
                for _ in 0..<30 { group.addTask { try await SearchIndex<Person>.bringUpToDate(in: database) } }
                try await group.waitForAll()
            }
            try await SearchIndex<Person>.bringUpToDate(in: database)
            #expect(try await Self.found("name4", in: school) == people.map(\.id))
        }
    }

    private static func found(_ text: String, in school: School) async throws -> [PersonID] {
        let organization = school.organization.id
        return try await school.database.read {
            try Person.page(
                of: organization, matching: PersonFilter(text: text), limit: 100, readingAllUpTo: 0, in: $0
            ).map(\.id)
        }
    }

    private static func indexed(in database: any Database) async throws -> [PersonID] {
        try await database.read {
            try $0.all("SELECT rowid FROM person_search ORDER BY rowid") { try $0[0] as PersonID }
        }
    }
}

/// Made-up people whose names are in every script and much like each other, and questions for them.
private struct Crowd: Sendable {
    private var random = SeededGenerator(seed: 43)
    private var people: [PersonID] = []

    mutating func number(upTo limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    private mutating func name() -> String {
        (0...number(upTo: 2)).map { _ in SearchedNames.all[number(upTo: SearchedNames.all.count)] }
            .joined(separator: " ")
    }

    private mutating func rarely(_ text: (inout Crowd) -> String) -> String? {
        number(upTo: 3) == 0 ? text(&self) : nil
    }

    mutating func add(to organization: OrganizationID?, at now: Date, in transaction: WriteTransaction) throws {
        let key = people.count
        let person = try Person.insert(
            in: organization, sourceID: organization == nil ? nil : rarely { _ in "S-\(key)" }, givenName: name(),
            middleName: rarely { $0.name() }, familyName: name(), email: rarely { _ in "Mail\(key)@home.example" },
            userName: "ana\(key)@maple.example", at: now, in: transaction)
        people.append(person.id)
    }

    mutating func change(at now: Date, in transaction: WriteTransaction) throws {
        let id = people[number(upTo: people.count)]
        if number(upTo: 10) == 0, let person = try Person.find(id, in: transaction), !person.isErased {
            return try person.erase(at: now, in: transaction)
        }
        let column = ["given_name", "middle_name", "family_name", "person_number"][number(upTo: 4)]
        try transaction.execute(
            "UPDATE person SET \(column) = $2 WHERE id = $1 AND deleted_at IS NULL", [id, name()])
    }

    /// A name, a piece of one, pieces of two fields, a number, or something that is in none.
    mutating func question(about everybody: [Person]) -> String {
        let person = everybody[number(upTo: everybody.count)]
        let fields = [
            person.givenName, person.familyName, person.userName, person.fullName, person.middleName, person.email,
            person.sourceID, person.personNumber,
        ].compactMap(\.self)
        switch number(upTo: 8) {
        case 0: return SearchedNames.all[number(upTo: SearchedNames.all.count)]
        case 1: return "PE-\(person.id.rawValue)"
        case 2: return "\(person.id.rawValue)"
        case 3:
            return ["zq", "%", "_", "", " ", "in0in", "4eba", "maple", "a", "1 2 3 4 5 6 7 8 9 10 11"][number(upTo: 10)]
        case 4, 5: return [piece(of: fields), piece(of: fields)].joined(separator: " ")
        default: return piece(of: fields)
        }
    }

    private mutating func piece(of fields: [String]) -> String {
        let field = Array(fields[number(upTo: fields.count)].unicodeScalars)
        let start = number(upTo: field.count)
        let scalars = field[start..<min(field.count, start + 1 + number(upTo: 5))]
        var piece = ""
        piece.unicodeScalars.append(contentsOf: scalars)
        return number(upTo: 2) == 0 ? piece.uppercased() : piece
    }
}
