import Administration
import Authorization
import Directory
import Fixtures
import Foundation
import NIOHTTP1
import Testing

@testable import TestServers

/// A school in which everything is done through the administration API, and five apps that read it. After each change it
/// is looked at; what can be taken back is taken back once, and made again.
final class SchoolYear {
    /// What an app may do at present.
    struct View {
        var rules = PlainRules()
        /// Whether the organization's list has it.
        var isAllowed = true
        /// Whether its consent is in force.
        var isConnected = true
    }

    /// An app, with what it has learned over the year.
    struct Reader {
        let app: TestApp
        var tokens: Tokens
        var view = View()
        /// Whose record each id is, by the person's number. It never changes.
        var people: [String: Int] = [:]
        /// By which id the app knows each person. It never changes, until the person is erased.
        var ids: [Int: String] = [:]
        /// Whom it saw when it last read.
        var seen: Set<Int> = []
        /// Who has signed in to it.
        var signedIn: Set<Int> = []
    }

    /// Records that were read, and the same as text.
    struct Records {
        var list: [[String: Any]] = []
        var text = ""

        static func + (first: Self, second: Self) -> Self {
            Self(list: first.list + second.list, text: first.text + second.text)
        }
    }

    /// A page of records, as it was last read.
    struct Page {
        /// Up to the end of the records.
        let body: Substring
        let records: Records
        /// What the page says besides.
        let others: [String: Any]
    }

    private(set) var user: APIUser
    /// By list and place in it.
    var pages: [String: Page] = [:]
    var readers: [Reader] = []
    /// What was there when it was last looked at.
    var state = ""
    var people: [[String: Any]] = []
    var classes: [[String: Any]] = []

    init(_ user: APIUser) { self.user = user }

    var server: TestServer { user.server }

    /// An app gets the organization's consent, or gets it anew.
    func connect(_ app: TestApp) async throws {
        let tokens = try await server.connect(app)
        if let index = readers.firstIndex(where: { $0.app.clientID == app.clientID }) {
            readers[index].tokens = tokens
            readers[index].view.isConnected = true
        } else {
            readers.append(Reader(app: app, tokens: tokens))
        }
    }

    func index(of app: TestApp) throws -> Int {
        try #require(readers.firstIndex { $0.app.clientID == app.clientID })
    }

    /// Time passes. Tokens last an hour, so that everybody gets new ones, but whose consent has ended.
    func wait(days: Int = 0, minutes: Int = 0) async throws {
        server.fixed.advance(by: Double(days) * 86_400 + Double(minutes) * 60)
        user = try await user.renewed()
        for index in readers.indices where readers[index].view.isAllowed && readers[index].view.isConnected {
            let answer = try await server.refresh(readers[index].tokens.refresh, readers[index].app)
            let old = readers[index].tokens
            readers[index].tokens = Tokens(
                access: try #require(answer.json["access_token"] as? String, "\(answer.line)"),
                refresh: answer.json["refresh_token"] as? String ?? old.refresh, identity: old.identity)
        }
        try await look()
    }

    /// The last day of a consent is over: what the app has of it counts no more, and later the server writes down that it
    /// has ended.
    func passEnd(of app: TestApp, minutes: Int) async throws {
        server.fixed.advance(by: Double(minutes) * 60)
        let index = try index(of: app)
        readers[index].view.isConnected = false
        try await look()
        let refused = try await server.refresh(readers[index].tokens.refresh, app)
        #expect(refused.status == 400, "\(refused.line)")
        let last = try await newestEntry()
        let ends = ConsentEnds(database: server.database, surroundings: server.fixed.surroundings)
        #expect(try await ends.finish() == 1)
        let ended = try await entries(after: last).filter { $0["action"] as? String == "consent.ended" }
        #expect(ended.compactMap { $0["subject"] as? String } == ["app:\(app.app.id.rawValue)"])
        try await look()
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
    /// - Parameter expect: what the change means for an app.
    @discardableResult
    func changeTwice(
        _ path: String, _ body: [String: Any] = [:], _ method: HTTPMethod = .POST, for app: TestApp? = nil,
        expect: (inout View) -> Void = { _ in }
    ) async throws -> [String: Any] {
        let after = try await changeAndUndo(path, body, method, for: app, expect: expect)
        let answer = try await perform(path, body, method)
        if let app { expect(&readers[try index(of: app)].view) }
        state = after
        return answer
    }

    /// A change that is taken back, so that nothing of it is left.
    /// - Returns: what was there in between.
    @discardableResult
    func changeAndUndo(
        _ path: String, _ body: [String: Any] = [:], _ method: HTTPMethod = .POST, for app: TestApp? = nil,
        expect: (inout View) -> Void = { _ in }
    ) async throws -> String {
        let (before, former) = (state, readers.map(\.view))
        let answer = try await perform(path, body, method)
        if let app { expect(&readers[try index(of: app)].view) }
        try await look()
        let after = state
        let last = try await newestEntry()
        var effects: [[String: Any]] = []
        for number in Self.changes(of: answer).reversed() {
            let undone = try await user.send(.POST, "changes/\(number)/undo")
            #expect(undone.status == 200, "\(path): \(undone.line)")
            effects += undone.list("effects")
        }
        try await expectInTrail(["effects": effects], after: last, "\(path) is taken back")
        for index in readers.indices { readers[index].view = former[index] }
        try await look()
        #expect(state != after, "\(path) changes something that is seen")
        expectSame(state, before, "\(path) is taken back")
        return after
    }

    /// Erases a person for good, after the preview that has to be seen before.
    func erase(_ person: String) async throws {
        let preview = try await user.send(.POST, "people/\(person)/erase?dryRun=true")
        let version = try #require(preview.json["version"] as? String, "\(preview.line)")
        let last = try await newestEntry()
        let erased = try await user.send(.POST, "people/\(person)/erase", ["If-Match": "\"\(version)\""])
        #expect(erased.status == 200, "\(erased.line)")
        try await expectInTrail(erased.json, after: last, "people/\(person)/erase")
        #expect(try await user.send(.GET, "people/\(person)").status == 404)
        forget((erased.json["result"] as? [String: Any])?["number"] as? Int)
        try await look()
    }

    /// What an app does once it is told that somebody is erased. Whose an id was it goes on to know, for this test: nobody
    /// else may ever get it.
    private func forget(_ number: Int?) {
        guard let number else { return }
        for index in readers.indices {
            readers[index].ids[number] = nil
            readers[index].signedIn.remove(number)
        }
    }

    /// The rules of the organization are applied, as the server does once a day.
    func sweep(erasing numbers: Set<Int>) async throws {
        let last = try await newestEntry()
        try await RetentionSweep(database: server.database, services: APIUser.services(of: server)).run()
        let erased = try await entries(after: last).filter { $0["action"] as? String == "person.erased" }
        #expect(Set(erased.compactMap { $0["subject"] as? String }) == Set(numbers.map { "person:\($0)" }))
        let before = Set(people.compactMap { $0["number"] as? Int })
        numbers.forEach(forget)
        try await look()
        #expect(before.subtracting(people.compactMap { $0["number"] as? Int }) == numbers)
    }

    /// Sets the rules of an app, in the words of the API and in plain ones.
    func share(with app: TestApp, _ body: [String: Any], _ rules: PlainRules) async throws {
        try await changeTwice("apps/\(app.clientID)/sharing", body, for: app) { view in
            let leftOut = view.rules.leftOut
            view.rules = rules
            view.rules.leftOut = leftOut
        }
    }

    func leaveOut(_ number: Int, of app: TestApp) async throws {
        try await changeTwice("apps/\(app.clientID)/sharing/leave-out", ["people": ["PE-\(number)"]], for: app) {
            $0.rules.leftOut.insert(number)
        }
    }

    func setAllowed(_ isAllowed: Bool, _ app: TestApp) async throws {
        let path = "access/data-sharing/apps"
        if isAllowed {
            try await changeTwice(path, ["app": app.clientID], for: app) { $0.isAllowed = true }
        } else {
            try await changeTwice("\(path)/\(app.clientID)", [:], .DELETE, for: app) { $0.isAllowed = false }
        }
    }

    /// An import in the background of files of which much would go: it waits, and nothing is changed.
    /// - Returns: the plan by which it is approved.
    func hold(_ files: SchoolFiles, term: String) async throws -> String {
        let before = state
        let content = try await send("imports", ["archive": try files.archive(), "term": term], .POST, isJob: true)
        let report = content["result"] as? [String: Any] ?? [:]
        #expect(report["outcome"] as? String == "held", "\(report)")
        let reasons = report["held"] as? [[String: Any]] ?? []
        #expect(reasons.contains { $0["rule"] as? String == "removed" && $0["type"] as? String == "classes" })
        try await look()
        expectSame(state, before, "an import that is held changes nothing")
        let waiting = try await user.send(.GET, "imports").list("held")
        let plan = try #require(report["planID"] as? String)
        #expect(waiting.compactMap { $0["planID"] as? String } == [plan])
        return plan
    }

    /// The answer to a change, which can be that of a job.
    private func perform(_ path: String, _ body: [String: Any], _ method: HTTPMethod) async throws -> [String: Any] {
        let last = try await newestEntry()
        let content = try await send(path, body, method, isJob: path == "imports")
        try await expectInTrail(content, after: last, path)
        return content
    }

    private func send(
        _ path: String, _ body: [String: Any], _ method: HTTPMethod, isJob: Bool
    ) async throws -> [String: Any] {
        let json =
            method == .POST ? String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self) : nil
        var answer = try await user.send(method, path, isJob ? ["Prefer": "respond-async"] : [:], json: json)
        var content = answer.json
        #expect(!isJob || answer.status == 202, "\(path): \(answer.line)")
        if answer.status == 202 {
            answer = try await user.ended(try #require(answer["Location"]))
            content = answer.json["answer"] as? [String: Any] ?? [:]
        }
        try #require(answer.status == 200 && content["result"] != nil, "\(path): \(answer.line)")
        return content
    }

    /// The numbers by which an answer is taken back: its own, or those of its items.
    private static func changes(of answer: [String: Any]) -> [Int] {
        if let number = answer["change"] as? Int { return [number] }
        let items = (answer["result"] as? [String: Any])?["items"] as? [[String: Any]] ?? []
        return items.compactMap { $0["change"] as? Int }
    }

    /// Each effect of a change is an entry of the trail. An answer has the first of many effects only: what happens to each
    /// record there has happened to all records that the answer names.
    private func expectInTrail(_ content: [String: Any], after last: Int, _ path: String) async throws {
        let effects = content["effects"] as? [[String: Any]] ?? []
        func line(_ entry: [String: Any]) -> String { Self.words(of: entry, ["action", "subject", "detail"]) }
        let entries = try await entries(after: last)
        let lines = Set(entries.map(line))
        let missing = effects.map(line).filter { !lines.contains($0) }
        #expect(!effects.isEmpty && missing.isEmpty, "\(path): \(missing.prefix(3))")

        let named = try subjectsNamed(by: content)
        guard !named.isEmpty else { return }
        // The last record there may have further effects.
        let cut = effects.last?["subject"] as? String
        let actions = Dictionary(grouping: effects) { $0["subject"] as? String ?? "" }
            .filter { $0.key != cut && named.contains($0.key) }
            .values.map { Set($0.compactMap { $0["action"] as? String }) }
        guard let first = actions.first else { return }
        let common = actions.reduce(first) { $0.intersection($1) }
        #expect(!common.isEmpty, "\(path)")
        let told = Set(entries.map { Self.words(of: $0, ["action", "subject"]) })
        let untold = named.flatMap { subject in common.map { "\($0) \(subject)" } }.filter { !told.contains($0) }
        #expect(untold.isEmpty, "\(path): \(untold.prefix(3))")
    }

    private static func words(of entry: [String: Any], _ keys: [String]) -> String {
        keys.map { entry[$0] as? String ?? "" }.joined(separator: " ")
    }

    /// The records that an answer about many names, as the trail does, such as `person:12`.
    private func subjectsNamed(by content: [String: Any]) throws -> Set<String> {
        let result = content["result"] as? [String: Any] ?? [:]
        if let issued = result["people"] as? [[String: Any]] {
            return Set(try issued.map { "person:\(try #require(numbers[$0["firstName"] as? String ?? ""]))" })
        }
        let done = (result["items"] as? [[String: Any]] ?? []).compactMap { $0["result"] as? [String: Any] }
        let first = (content["effects"] as? [[String: Any]])?.first?["subject"] as? String ?? ""
        let kind = first.prefix { $0 != ":" }
        return Set(try done.map { "\(kind):\(try #require($0["number"] as? Int, "\($0)"))" })
    }
}
