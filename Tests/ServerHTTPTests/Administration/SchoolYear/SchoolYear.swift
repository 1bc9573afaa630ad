import Authorization
import Directory
import Fixtures
import Foundation
import NIOHTTP1
import Testing

/// A school in which everything is done through the administration API, and five apps that read it. After each change it
/// is looked at, and taken back once.
final class SchoolYear {
    /// An app, with what it has learned over the year.
    private struct Reader {
        let app: TestApp
        var tokens: Tokens
        var rules = PlainRules()
        var isAllowed = true
        /// Whose record each id is, by the person's number. It never changes.
        var people: [String: Int] = [:]
    }

    private(set) var user: APIUser
    private var readers: [Reader] = []
    /// What was there after the last change.
    private var state = ""
    private(set) var people: [[String: Any]] = []
    private(set) var classes: [[String: Any]] = []

    init(_ user: APIUser) { self.user = user }

    private var server: TestServer { user.server }

    func connect(_ app: TestApp) async throws {
        readers.append(Reader(app: app, tokens: try await server.connect(app)))
    }

    /// Time passes. Tokens last an hour, so that everybody gets new ones.
    func wait(days: Int) async throws {
        server.fixed.advance(by: Double(days) * 86_400)
        user = try await user.renewed()
        for index in readers.indices where readers[index].isAllowed {
            let answer = try await server.refresh(readers[index].tokens.refresh, readers[index].app)
            let old = readers[index].tokens
            readers[index].tokens = Tokens(
                access: try #require(answer.json["access_token"] as? String, "\(answer.line)"),
                refresh: answer.json["refresh_token"] as? String ?? old.refresh, identity: old.identity)
        }
    }

    // What is done.

    /// A change of which nothing is taken back.
    @discardableResult
    func change(_ path: String, _ body: [String: Any] = [:], _ method: HTTPMethod = .POST) async throws -> [String: Any]
    {
        let answer = try await perform(path, body, method)
        try await look()
        return answer
    }

    /// A change that is taken back, and made again.
    @discardableResult
    func changeTwice(
        _ path: String, _ body: [String: Any] = [:], _ method: HTTPMethod = .POST
    ) async throws -> [String: Any] {
        let before = state
        let answer = try await perform(path, body, method)
        try await look()
        let after = state
        for number in Self.changes(of: answer).reversed() {
            let undone = try await user.send(.POST, "changes/\(number)/undo")
            #expect(undone.status == 200, "\(path): \(undone.line)")
        }
        try await look()
        #expect(state != after, "\(path) changes something that is seen")
        expectSame(state, before, "\(path) is taken back")
        state = after
        return try await perform(path, body, method)
    }

    /// Erases a person for good, after the preview that has to be seen before.
    func erase(_ person: String) async throws {
        let preview = try await user.send(.POST, "people/\(person)/erase?dryRun=true")
        let version = try #require(preview.json["version"] as? String, "\(preview.line)")
        let erased = try await user.send(.POST, "people/\(person)/erase", ["If-Match": "\"\(version)\""])
        #expect(erased.status == 200, "\(erased.line)")
        #expect(try await user.send(.GET, "people/\(person)").status == 404)
        try await look()
    }

    /// Sets the rules of an app, in the words of the API and in plain ones.
    func share(with app: TestApp, _ body: [String: Any], _ rules: PlainRules) async throws {
        let index = try #require(readers.firstIndex { $0.app.clientID == app.clientID })
        var rules = rules
        rules.leftOut = readers[index].rules.leftOut
        let former = readers[index].rules
        let answer = try await perform("apps/\(app.clientID)/sharing", body, .POST)
        readers[index].rules = rules
        try await look()
        let undone = try await user.send(.POST, "changes/\(Self.changes(of: answer)[0])/undo")
        #expect(undone.status == 200, "\(undone.line)")
        readers[index].rules = former
        try await look()
        _ = try await perform("apps/\(app.clientID)/sharing", body, .POST)
        readers[index].rules = rules
        try await look()
    }

    func leaveOut(_ number: Int, of app: TestApp) async throws {
        let index = try #require(readers.firstIndex { $0.app.clientID == app.clientID })
        readers[index].rules.leftOut.insert(number)
        try await change("apps/\(app.clientID)/sharing/leave-out", ["people": ["PE-\(number)"]])
    }

    func setAllowed(_ isAllowed: Bool, _ app: TestApp) async throws {
        let index = try #require(readers.firstIndex { $0.app.clientID == app.clientID })
        readers[index].isAllowed = isAllowed
        if isAllowed {
            try await change("access/data-sharing/apps", ["app": app.clientID])
        } else {
            try await change("access/data-sharing/apps/\(app.clientID)", [:], .DELETE)
        }
    }

    /// The answer to a change, which can be that of a job.
    private func perform(_ path: String, _ body: [String: Any], _ method: HTTPMethod) async throws -> [String: Any] {
        let last = try await newestEntry()
        let json =
            method == .POST ? String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self) : nil
        var answer = try await user.send(method, path, json: json)
        var content = answer.json
        if answer.status == 202 {
            answer = try await user.ended(try #require(answer["Location"]))
            content = answer.json["answer"] as? [String: Any] ?? [:]
        }
        try #require(answer.status == 200 && content["result"] != nil, "\(path): \(answer.line)")
        try await expectInTrail(content["effects"] as? [[String: Any]] ?? [], after: last, path)
        return content
    }

    /// The numbers by which an answer is taken back: its own, or those of its items.
    private static func changes(of answer: [String: Any]) -> [Int] {
        if let number = answer["change"] as? Int { return [number] }
        let items = (answer["result"] as? [String: Any])?["items"] as? [[String: Any]] ?? []
        return items.compactMap { $0["change"] as? Int }
    }

    // What holds after each change.

    /// Reads everything, as the administrator and as each app, and compares it.
    func look() async throws {
        people = try await pages("people", "people", next: "after")
        classes =
            try await pages("classes", "classes", next: "after")
            + pages("classes", "classes", next: "after", "&archived=true")
        var parts = [
            Self.text(people), Self.text(classes), Self.text(try await user.send(.GET, "terms").json),
            Self.text(try await user.send(.GET, "locations").json),
        ]
        for index in readers.indices { parts += [try await look(with: index)] }
        state = parts.joined(separator: "\n")
    }

    private func look(with index: Int) async throws -> String {
        let (name, tokens, rules) = (readers[index].app.app.name, readers[index].tokens, readers[index].rules)
        guard readers[index].isAllowed else {
            let refused = try await server.roster("/users", tokens)
            #expect(refused.status == 403, "\(name) \(refused.line)")
            return refused.body
        }
        let users = try await roster("users", tokens)
        let seen = try await roster("classes", tokens)
        var members = Set<Int>()
        for number in rules.classes ?? [] {
            let shown = try await user.send(.GET, "classes/CL-\(number)").json
            guard shown["archivedAt"] == nil else { continue }
            for key in ["instructors", "students"] {
                members.formUnion((shown[key] as? [[String: Any]] ?? []).compactMap { $0["number"] as? Int })
            }
        }
        // The first name is nobody else's, and nobody's first name is changed.
        let byName = Dictionary(uniqueKeysWithValues: people.map { ($0["firstName"] as? String ?? "", $0) })
        var numbers = Set<Int>()
        for record in users {
            let id = try #require(record["id"] as? String)
            let person = try #require(byName[record["givenName"] as? String ?? ""], "\(name) sees somebody unknown")
            let number = try #require(person["number"] as? Int)
            #expect(readers[index].people[id] ?? number == number, "\(name): \(id) leads to another person")
            readers[index].people[id] = number
            #expect(numbers.insert(number).inserted, "\(name) sees \(number) twice")
            for field in ["familyName", "email"] where rules.withheld.contains(field) {
                #expect(record[field] == nil, "\(name) gets \(field)")
            }
        }
        let expected = Set(
            people.filter { rules.show($0, members: members) }.compactMap { $0["number"] as? Int })
        #expect(
            numbers == expected,
            "\(name) sees \(numbers.subtracting(expected).sorted()) besides, not \(expected.subtracting(numbers).sorted())"
        )
        let expectedClasses = classes.filter(rules.showClass).compactMap { $0["number"] as? Int }.map { "CL-\($0)" }
        #expect(seen.compactMap { $0["id"] as? String }.sorted() == expectedClasses.sorted(), "\(name)")
        let ids = Set(users.compactMap { $0["id"] as? String })
        for key in ["instructorIds", "studentIds"] {
            let members = Set(seen.flatMap { $0[key] as? [String] ?? [] })
            #expect(members.isSubset(of: ids), "\(name) sees members whom it does not see")
        }
        return Self.text(users) + Self.text(seen)
    }

    /// Each effect of a change is an entry of the trail.
    private func expectInTrail(_ effects: [[String: Any]], after last: Int, _ path: String) async throws {
        let page = try await user.send(.GET, "audit?limit=1000").list("entries").filter {
            $0["number"] as? Int ?? 0 > last
        }
        func line(_ entry: [String: Any]) -> String {
            "\(entry["action"] as? String ?? "") \(entry["subject"] as? String ?? "") \(entry["detail"] as? String ?? "")"
        }
        let lines = Set(page.map(line))
        // The answer has the first of many effects, and the page of the trail the last.
        guard page.count < 1_000 else { return }
        #expect(
            !effects.isEmpty && effects.allSatisfy { lines.contains(line($0)) },
            "\(path): \(effects.prefix(3)) \(lines)")
    }

    private func newestEntry() async throws -> Int {
        try await user.send(.GET, "audit?limit=1").list("entries").first?["number"] as? Int ?? 0
    }

    // Reading.

    private func pages(
        _ path: String, _ key: String, next parameter: String, _ filter: String = ""
    ) async throws -> [[String: Any]] {
        var (all, after) = ([[String: Any]](), "")
        while true {
            let page = try await user.send(.GET, "\(path)?limit=1000\(filter)\(after)")
            try #require(page.status == 200, "\(page.line)")
            all += page.list(key)
            guard let next = page.json["next"] as? Int else { return all }
            after = "&\(parameter)=\(next)"
        }
    }

    private func roster(_ kind: String, _ tokens: Tokens) async throws -> [[String: Any]] {
        var (all, token) = ([[String: Any]](), "")
        while true {
            let page = try await server.roster("/\(kind)?limit=1000\(token)", tokens)
            try #require(page.status == 200, "\(page.line)")
            all += page.list(kind)
            guard page.json["moreToFollow"] as? Bool == true else { return all }
            token = "&pageToken=\(try #require(page.json["nextPageToken"] as? String))"
        }
    }

    /// A value of JSON as text, the same text for the same value. Without the times of changes, which go on when a change
    /// is taken back. `JSONSerialization` compares keys by the rules of languages, which took most of this test's time.
    private static func text(_ value: Any) -> String {
        var text = ""
        func write(_ value: Any) {
            switch value {
            case let string as String: text += "\"\(string)\""
            case let object as [String: Any]:
                for key in object.keys.sorted() where key != "modifiedAt" && key != "dateLastModified" {
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

    private func expectSame(_ now: String, _ before: String, _ what: String) {
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
