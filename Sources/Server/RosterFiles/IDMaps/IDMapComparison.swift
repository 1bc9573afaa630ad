import Directory
import Storage

/// Compares the records of an organization with the staged files of a new system.
struct IDMapComparison<T: Transaction> {
    private let organization: OrganizationID
    /// Whose records are compared.
    private let scope: ImportScope
    private let transaction: T
    /// The number of the record for each location id of the files, as far as it is sure.
    private var locations: [String: Int64] = [:]
    private var courses: [String: Int64] = [:]

    init(of organization: OrganizationID, _ scope: ImportScope, in transaction: T) {
        self.organization = organization
        self.scope = scope
        self.transaction = transaction
    }

    /// Without records that keep their id: the files name them by it.
    mutating func lines() throws -> [IDMapLine] {
        var lines: [IDMapLine] = []
        try lines += compareLocations()
        try lines += compareCourses()
        try lines += compareClasses()
        try lines += comparePeople()
        return lines
    }
}

// MARK: Places and what is taught

extension IDMapComparison {
    /// A location, course or class of either side.
    private struct Thing {
        /// The number of the record; nil on the side of the files.
        let number: Int64?
        let sourceID: String
        let name: String
        /// What the two must share to be the same; empty if nothing tells it.
        let keys: [String]
    }

    private mutating func compareLocations() throws -> [IDMapLine] {
        let names = SimplifiedNames()
        let old = try records(
            """
            SELECT id, source_id, name FROM location
            WHERE organization_id = $1 AND archived_at IS NULL AND \(scope.contains("id"))
            """
        ) { row in
            let name: String = try row["name"]
            return Thing(
                number: try row["id"], sourceID: try row["source_id"], name: name, keys: [names.simplify(name)])
        }
        let new = try transaction.all("SELECT source_id, name FROM staged_location ORDER BY line") { row in
            let name: String = try row["name"]
            return Thing(number: nil, sourceID: try row["source_id"], name: name, keys: [names.simplify(name)])
        }
        return match(.location, old, new, into: &locations)
    }

    private mutating func compareCourses() throws -> [IDMapLine] {
        let names = SimplifiedNames()
        func thing(_ number: Int64?, _ row: Row, at place: Int64?) throws -> Thing {
            let (name, code) = (try row["name"] as String?, try row["number"] as String?)
            let keys = place.map { place in
                [name.map { "\(place) name \(names.simplify($0))" }, code.map { "\(place) number \($0)" }]
                    .compactMap(\.self)
            }
            return Thing(
                number: number, sourceID: try row["source_id"],
                name: [name, code].compactMap(\.self).joined(separator: " "), keys: keys ?? [])
        }
        let old = try records(
            """
            SELECT id, source_id, name, number, location_id FROM course
            WHERE organization_id = $1 AND archived_at IS NULL AND \(scope.contains("location_id"))
            """
        ) { try thing(try $0["id"], $0, at: try $0["location_id"]) }
        let places = locations
        let new = try transaction.all(
            "SELECT source_id, name, number, location FROM staged_course ORDER BY line"
        ) { row in
            try thing(nil, row, at: (try row["location"] as String?).flatMap { places[$0] })
        }
        return match(.course, old, new, into: &courses)
    }

    private func compareClasses() throws -> [IDMapLine] {
        func thing(_ number: Int64?, _ row: Row, _ name: String, place: Int64?, course: Int64?) throws -> Thing {
            let code = try row["number"] as String?
            let key = place.flatMap { place in course.map { "\(place) \($0) \(code ?? "")" } }
            return Thing(number: number, sourceID: try row["source_id"], name: name, keys: [key].compactMap(\.self))
        }
        let old = try records(
            """
            SELECT id, source_id, name, number, location_id, course_id FROM class
            WHERE organization_id = $1 AND archived_at IS NULL AND \(scope.contains("location_id"))
            """
        ) { row in
            try thing(
                try row["id"], row, try row["name"], place: try row["location_id"], course: try row["course_id"])
        }
        let (places, subjects) = (locations, courses)
        let new = try transaction.all(
            """
            SELECT c.source_id, c.number, c.location, c.course, c.display_name, k.name AS course_name
            FROM staged_class AS c LEFT JOIN staged_course AS k ON k.source_id = c.course ORDER BY c.line
            """
        ) { row in
            let name = [try row["course_name"] as String?, try row["number"]].compactMap(\.self).joined(separator: " ")
            return try thing(
                nil, row, try row["display_name"] ?? name,
                place: (try row["location"] as String?).flatMap { places[$0] },
                course: (try row["course"] as String?).flatMap { subjects[$0] })
        }
        var numbers: [String: Int64] = [:]
        return match(.class, old, new, into: &numbers)
    }

    private func records(_ sql: String, _ map: (Row) throws -> Thing) throws -> [Thing] {
        try transaction.all("\(sql) AND source_id IS NOT NULL ORDER BY id", [organization], map)
    }

    /// Sure is a pair in which both share all keys that both have, and neither shares one with a third.
    private func match(
        _ kind: IDMove.Kind, _ old: [Thing], _ new: [Thing], into numbers: inout [String: Int64]
    ) -> [IDMapLine] {
        let ids = Set(new.map(\.sourceID))
        for thing in old where ids.contains(thing.sourceID) { numbers[thing.sourceID] = thing.number }
        let kept = Set(old.map(\.sourceID)).intersection(ids)
        let (old, new) = (old.filter { !kept.contains($0.sourceID) }, new.filter { !kept.contains($0.sourceID) })
        var byKey: [String: [Int]] = [:]
        for (index, thing) in new.enumerated() { for key in thing.keys { byKey[key, default: []].append(index) } }
        let candidates = old.map { thing in Set(thing.keys.flatMap { byKey[$0] ?? [] }).sorted() }
        var asked: [Int: Int] = [:]
        for indices in candidates { for index in indices { asked[index, default: 0] += 1 } }
        return zip(old, candidates).map { thing, indices in
            let isSure =
                indices.count == 1 && asked[indices[0]] == 1
                && Set(thing.keys).isSuperset(of: new[indices[0]].keys)
            if isSure { numbers[new[indices[0]].sourceID] = thing.number }
            return IDMapLine(
                kind: kind, old: thing.sourceID, name: thing.name,
                certainty: isSure ? .sure : indices.isEmpty ? .unmatched : .unsure,
                candidates: indices.map {
                    .init(new: new[$0].sourceID, name: new[$0].name, why: isSure ? "the same" : "alike")
                })
        }
    }
}

// MARK: People

extension IDMapComparison {
    private func comparePeople() throws -> [IDMapLine] {
        let all = (old: try knownPeople(), new: try newPeople())
        let kept = Set(all.old.map(\.sourceID)).intersection(all.new.map(\.sourceID))
        let old = all.old.filter { !kept.contains($0.sourceID) }
        let new = all.new.filter { !kept.contains($0.sourceID) }
        let names = SimplifiedNames()
        var byKey: [String: [Int]] = [:]
        for (index, person) in new.enumerated() {
            for key in person.keys(names) { byKey[key, default: []].append(index) }
        }
        let nameLikeness = NameLikeness()
        let pairs = old.map { person in
            Set(person.keys(names).flatMap { byKey[$0] ?? [] }).sorted().map { index in
                (index: index, likeness: IDMapLikeness(person, new[index], nameLikeness))
            }
        }
        // How many records each person of the files could be: surely, or by more than a name.
        var claims: [Int: Int] = [:]
        for pair in pairs.joined() where pair.likeness.isSure || pair.likeness.strong > 0 {
            claims[pair.index, default: 0] += 1
        }
        return zip(old, pairs).compactMap { person, pairs in
            // Nothing becomes of them without the new files, so that nothing is to be decided.
            if pairs.isEmpty, person.isByHand { return nil }
            let serious = pairs.filter { $0.likeness.isSure || $0.likeness.strong > 0 }
            let isSure = serious.count == 1 && serious[0].likeness.isSure && claims[serious[0].index] == 1
            let best =
                isSure
                ? serious
                : pairs.sorted {
                    ($0.likeness.strong, $0.likeness.agreeing.count, -$0.index)
                        > ($1.likeness.strong, $1.likeness.agreeing.count, -$1.index)
                }
            return IDMapLine(
                kind: .person, old: person.sourceID, name: person.fullName,
                certainty: isSure ? .sure : pairs.isEmpty ? .unmatched : .unsure,
                candidates: best.map {
                    .init(new: new[$0.index].sourceID, name: new[$0.index].fullName, why: $0.likeness.text)
                })
        }
    }

    /// Without those who left before: the new system does not know them, and nobody must get their accounts by a guess.
    private func knownPeople() throws -> [IDMapPerson] {
        var places: [Int64: Set<Int64>] = [:]
        var students: Set<Int64> = []
        try transaction.forEach(
            "SELECT person_id, location_id, role FROM role_assignment WHERE organization_id = $1", [organization]
        ) { row in
            let person: Int64 = try row["person_id"]
            places[person, default: []].insert(try row["location_id"])
            if try row["role"] == Role.student { students.insert(person) }
        }
        return try transaction.all(
            """
            SELECT id, source_id, given_name, middle_name, family_name, person_number, email, sis_username, grade, source
            FROM person AS p
            WHERE organization_id = $1 AND source_id IS NOT NULL AND state <> 'deactivated'
              AND \(scope.isNamedHere)
            ORDER BY id
            """, [organization]
        ) { row in
            let id: Int64 = try row["id"]
            return try IDMapPerson(
                row, isStudent: students.contains(id), places: places[id] ?? [],
                isByHand: try row["source"] == RecordSource.manual)
        }
    }

    private func newPeople() throws -> [IDMapPerson] {
        var places: [Int64: Set<Int64>] = [:]
        try transaction.forEach("SELECT person, location FROM staged_place") { row in
            if let place = locations[try row["location"]] {
                places[try row["person"], default: []].insert(place)
            }
        }
        return try transaction.all(
            """
            SELECT n, file, source_id, given_name, middle_name, family_name, person_number, email, sis_username, grade
            FROM staged_person ORDER BY n
            """
        ) { row in
            try IDMapPerson(
                row, isStudent: try row["file"] as String == RosterFile.students.rawValue,
                places: places[try row["n"]] ?? [])
        }
    }
}
