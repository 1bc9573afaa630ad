import Authorization
import Foundation
import NIOHTTP1
import Testing

@testable import TestServers

/// What holds after each change.
extension SchoolYear {
    /// Reads everything, as the administrator and as each app, and compares it.
    func look() async throws {
        let everybody = try await list("people")
        let allClasses = try await list("classes") + list("classes", "&archived=true")
        (people, classes) = (everybody.list, allClasses.list)
        var parts = [everybody.text, allClasses.text]
        for path in ["terms", "locations", "consents", "retention"] {
            parts.append(Self.text(try await user.send(.GET, path).json))
        }
        for index in readers.indices { parts += [try await look(with: index)] }
        state = parts.joined(separator: "\n")
    }

    private func look(with index: Int) async throws -> String {
        let (name, tokens, view) = (readers[index].app.app.name, readers[index].tokens, readers[index].view)
        let rules = view.rules
        guard view.isAllowed, view.isConnected else {
            let refused = try await server.roster("/users", tokens)
            #expect(refused.status == (view.isConnected ? 403 : 401), "\(name) \(refused.line)")
            readers[index].seen = []
            return "\(refused.status)"
        }
        let (users, seen) = (try await roster("users", for: index), try await roster("classes", for: index))
        // The first name is nobody else's, and nobody's first name is changed.
        let byName = Dictionary(uniqueKeysWithValues: people.map { ($0["firstName"] as? String ?? "", $0) })
        var numbers = Set<Int>()
        // Without macros, which would take a good part of the time.
        for record in users.list {
            guard let id = record["id"] as? String,
                let number = byName[record["givenName"] as? String ?? ""]?["number"] as? Int
            else { throw Unknown(name: name, record: record.description) }
            note(id, of: number, for: index)
            if !numbers.insert(number).inserted { Issue.record("\(name) sees \(number) twice") }
            for field in rules.withheld where record[field] != nil { Issue.record("\(name) gets \(field)") }
        }
        readers[index].seen = numbers
        let members = try await members(of: rules)
        let expected = Set(
            people.filter { rules.show($0, members: members) }.compactMap { $0["number"] as? Int })
        #expect(
            numbers == expected,
            "\(name) sees \(numbers.subtracting(expected).sorted()) besides, not \(expected.subtracting(numbers).sorted())"
        )
        let expectedClasses = classes.filter(rules.showClass).compactMap { $0["number"] as? Int }.map { "CL-\($0)" }
        #expect(seen.list.compactMap { $0["id"] as? String }.sorted() == expectedClasses.sorted(), "\(name)")
        let ids = Set(users.list.compactMap { $0["id"] as? String })
        for key in ["instructorIds", "studentIds"] {
            let members = Set(seen.list.flatMap { $0[key] as? [String] ?? [] })
            #expect(members.isSubset(of: ids), "\(name) sees members whom it does not see")
        }
        return users.text + seen.text
    }

    /// An app sees somebody of whom the administrator knows nothing.
    struct Unknown: Error {
        let name: String
        let record: String
    }

    /// An app learns by which id it knows a person: the same as ever, and nobody else's.
    func note(_ id: String, of number: Int, for index: Int) {
        let (known, former) = (readers[index].people[id], readers[index].ids[number])
        let name = readers[index].app.app.name
        if let known, known != number { Issue.record("\(name): \(id) was \(known), and leads to \(number)") }
        if let former, former != id { Issue.record("\(name): \(number) was \(former), and is \(id)") }
        if known == nil { readers[index].people[id] = number }
        if former == nil { readers[index].ids[number] = id }
    }

    /// The numbers of those who are in one of the classes to which an app is limited, and which it sees.
    func members(of rules: PlainRules) async throws -> Set<Int> {
        var members = Set<Int>()
        for number in rules.classes ?? [] {
            let shown = try await user.send(.GET, "classes/CL-\(number)").json
            guard shown["archivedAt"] == nil else { continue }
            for key in ["instructors", "students"] {
                members.formUnion((shown[key] as? [[String: Any]] ?? []).compactMap { $0["number"] as? Int })
            }
        }
        return members
    }

    func newestEntry() async throws -> Int {
        try await user.send(.GET, "audit?limit=1").list("entries").first?["number"] as? Int ?? 0
    }

    /// All entries of the trail after the one with this number, the newest first.
    func entries(after last: Int) async throws -> [[String: Any]] {
        var (all, before) = ([[String: Any]](), "")
        while true {
            let page = try await user.send(.GET, "audit?limit=1000\(before)")
            try #require(page.status == 200, "\(page.line)")
            let read = page.json
            all += (read["entries"] as? [[String: Any]] ?? []).filter { $0["number"] as? Int ?? 0 > last }
            guard let next = read["next"] as? Int, next > last + 1 else { break }
            before = "&before=\(next)"
        }
        // Without gaps.
        #expect(all.compactMap { $0["number"] as? Int } == Array((last + 1)..<(last + 1 + all.count)).reversed())
        return all
    }

    // Reading.

    private func list(_ kind: String, _ filter: String = "") async throws -> Records {
        var (all, after) = (Records(), "")
        while true {
            let page = try await user.send(.GET, "\(kind)?limit=1000\(filter)\(after)")
            let (records, others) = try read(page, kind, "\(kind)\(filter)\(after)")
            all = all + records
            guard let next = others["next"] as? Int else { return all }
            after = "&after=\(next)"
        }
    }

    private func roster(_ kind: String, for index: Int) async throws -> Records {
        var (all, token, number) = (Records(), "", 0)
        while true {
            let page = try await server.roster("/\(kind)?limit=1000\(token)", readers[index].tokens)
            number += 1
            let (records, others) = try read(page, kind, "\(kind) \(number) of \(index)")
            all = all + records
            guard others["moreToFollow"] as? Bool == true else { return all }
            token = "&pageToken=\(try #require(others["nextPageToken"] as? String))"
        }
    }

    /// The records of a page, and what else it says. Most pages are what they were at the last look, and are not parsed again.
    /// - Parameter place: which page of which list this is.
    private func read(_ page: Answer, _ kind: String, _ place: String) throws -> (Records, [String: Any]) {
        try #require(page.status == 200, "\(page.line)")
        // The token for an app's next page stands behind the records, and is another one each time.
        let end = try #require(page.body.utf8.lastIndex(of: UInt8(ascii: "]")))
        if let known = pages[place], known.body == page.body[...end] {
            // A brace if nothing stands there, and else a comma before it.
            let behind = page.body[end...].dropFirst().trimmingPrefix(",")
            let json = behind == "}" ? "{}" : "{\(behind)"
            let others = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any] ?? [:]
            return (known.records, known.others.merging(others) { $1 })
        }
        var json = page.json
        var records = Records(list: json.removeValue(forKey: kind) as? [[String: Any]] ?? [])
        records.text = Self.text(records.list)
        pages[place] = Page(body: page.body[...end], records: records, others: json)
        return (records, json)
    }

    /// What goes on when a change is taken back, or whenever an app reads. A refusal names the version of the rule, which
    /// counts each change of it.
    private static let passing: Set = ["modifiedAt", "dateLastModified", "lastReadAt", "recordsRead", "refusal"]

    /// A value of JSON as text, the same text for the same value, without what is ``passing``. `JSONSerialization` compares
    /// keys by the rules of languages, which took most of this test's time.
    private static func text(_ value: Any) -> String {
        var text = ""
        func write(_ value: Any) {
            switch value {
            case let string as String: text += "\"\(string)\""
            case let object as [String: Any]:
                for key in object.keys.sorted() where !passing.contains(key) {
                    text += "\(key):"
                    write(object[key] ?? "")
                    text += ","
                }
                text += "}"
            case let list as [Any]:
                list.forEach(write)
                text += "]"
            default: text += "\(value),"
            }
        }
        write(value)
        return text
    }

    func expectSame(_ now: String, _ before: String, _ what: String) {
        guard now != before else { return }
        let parts = zip(now.split(separator: "}"), before.split(separator: "}")).first { $0 != $1 }
        Issue.record("\(what), but there is \(parts?.0 ?? "more") where there was \(parts?.1 ?? "less")")
    }
}

extension SchoolYear {
    /// The numbers of people, by first name.
    var numbers: [String: Int] { Self.numbers(of: people, by: "firstName") }

    var classNumbers: [String: Int] { Self.numbers(of: classes, by: "name") }

    /// `LO:` and a number.
    func locationID(_ name: String) async throws -> String {
        let locations = try await user.send(.GET, "locations").list("locations")
        return try #require(locations.first { $0["name"] as? String == name }?["id"] as? String)
    }

    private static func numbers(of records: [[String: Any]], by key: String) -> [String: Int] {
        Dictionary(
            uniqueKeysWithValues: records.compactMap { record in
                (record[key] as? String).flatMap { name in (record["number"] as? Int).map { (name, $0) } }
            })
    }
}
