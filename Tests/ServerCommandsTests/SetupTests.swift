import Directory
import Foundation
import Ground
import SeededNumbers
import Testing

@testable import CommandOutput
@testable import ServerCommands

@Suite("Settings in which single values are changed")
struct SettingsTextTests {
    @Test(
        "What is not changed stays as it is written",
        arguments: [
            ("{}\n", "{\n  \"baseURL\": \"x\"\n}\n"),
            ("{\"port\": 8081}", "{\"port\": 8081, \"baseURL\": \"x\"}"),
            (
                "{\n    \"port\" : 1e2,\n    \"own\": [1, {\"a\": \"}\\\"\"}]\n}\n",
                "{\n    \"port\" : 1e2,\n    \"own\": [1, {\"a\": \"}\\\"\"}],\n    \"baseURL\": \"x\"\n}\n"
            ),
            ("{\"baseURL\":\"old\",\"b\":true}", "{\"baseURL\":\"x\",\"b\":true}"),
            ("{\"b\":null , \"baseURL\" : {\"odd\": 1}}", "{\"b\":null , \"baseURL\" : \"x\"}"),
            ("{\"base\\u0055RL\": \"old\"}", "{\"base\\u0055RL\": \"x\"}"),
        ])
    func sets(before: String, after: String) throws {
        var settings = try SettingsText(before)
        try settings.set(["baseURL"], to: "x")
        #expect(settings.text == after)
        #expect(settings.value(["baseURL"]) == .string("x"))
        let once = settings
        try settings.set(["baseURL"], to: "x")
        #expect(settings == once)
    }

    @Test("Objects on the way are made, and used if they are there")
    func nests() throws {
        var settings = try SettingsText("{\"mail\": {\"operator\": \"root@maple.example\"}}")
        try settings.set(["mail", "smtp", "url"], to: "smtp://mail.maple.example:587")
        try settings.set(["mail", "smtp", "userName"], to: "„Ann\" / \\")
        #expect(settings.value(["mail", "operator"]) == .string("root@maple.example"))
        #expect(settings.value(["mail", "smtp", "url"]) == .string("smtp://mail.maple.example:587"))
        #expect(settings.value(["mail", "smtp", "userName"]) == .string("„Ann\" / \\"))
        #expect(settings.text.contains("smtp://mail"))
        var empty = try SettingsText(nil)
        try empty.set(["mail", "smtp", "url"], to: "smtps://m.example")
        #expect(empty.value(["mail", "smtp", "url"]) == .string("smtps://m.example"))
    }

    @Test(
        "A member goes with one comma",
        arguments: [
            ("{\"mail\": 1}", "{}"), ("{\"mail\": 1, \"b\": 2}", "{\"b\": 2}"),
            ("{\"a\": 1, \"mail\": {\"x\": [2]}}", "{\"a\": 1}"),
            ("{\n  \"a\": 1,\n  \"mail\": {},\n  \"c\": 3\n}", "{\n  \"a\": 1,\n  \"c\": 3\n}"),
            ("{\"a\": 1}", "{\"a\": 1}"),
        ])
    func removes(before: String, after: String) throws {
        var settings = try SettingsText(before)
        try settings.remove(["mail"])
        #expect(settings.text == after)
    }

    @Test(
        "What is no object, or has a name twice, is refused and not overwritten",
        arguments: [
            "", "[]", "{", "// a comment\n{}", "{\"a\": 1, \"a\": 2}", "{\"mail\": {\"from\": 1, \"from\": 2}}",
        ])
    func refuses(text: String) {
        #expect(throws: Failure.self) { try SettingsText(text) }
    }

    @Test("A value where an object should be is not replaced")
    func keepsOtherKinds() throws {
        var settings = try SettingsText("{\"mail\": \"yes\"}")
        #expect(throws: Failure.self) { try settings.set(["mail", "from"], to: "x") }
        #expect(settings.text == "{\"mail\": \"yes\"}")
    }

    @Test("Of made-up files the text says afterwards what it said before, but for one value")
    func random() throws {
        var made = MadeUpObject(numbers: SeededGenerator(seed: 69))
        for _ in 0..<500 {
            let before = made.object(depth: 3)
            let path = (0..<Int.random(in: 1...3, using: &made.numbers)).map { _ in
                MadeUpObject.names.randomElement(using: &made.numbers) ?? ""
            }
            let expected = try JSONValue(reading: Data(before.utf8))
            var set = try SettingsText(before)
            let wanted = expected.setting(path[...], to: "{\"new\\\" ,")
            if let wanted {
                try set.set(path, to: "{\"new\\\" ,")
                #expect(try JSONValue(reading: Data(set.text.utf8)) == wanted, "\(path) in \(before)")
            } else {
                #expect(throws: Failure.self) { try set.set(path, to: "x") }
                #expect(set.text == before)
            }
            var removed = try SettingsText(before)
            try removed.remove(path)
            #expect(
                try JSONValue(reading: Data(removed.text.utf8)) == expected.removing(path[...]), "\(path) in \(before)")
        }
    }
}

/// JSON with odd names, values and spaces. No object has a name twice.
private struct MadeUpObject {
    static let names = ["mail", "smtp", "from", "a\"b", "ü", "}", ","]
    var numbers: SeededGenerator

    private mutating func space() -> String {
        ["", "", " ", "\n  ", "\t"].randomElement(using: &numbers) ?? ""
    }

    private mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &numbers) {
        case 0: "null"
        case 1: "-1.5e2"
        case 2: "\"{\\\"mail\\\": [}\""
        case 3: "\"\\\\\""
        case 4: "true"
        case 5: "[\(value(depth: depth - 1)),\(space())\(value(depth: depth - 1))]"
        default: object(depth: depth - 1)
        }
    }

    mutating func object(depth: Int) -> String {
        let count = Int.random(in: 0...4, using: &numbers)
        let members = Self.names.shuffled(using: &numbers).prefix(count).map { name in
            let isOdd = name == "mail" && Bool.random(using: &numbers)
            let quoted = isOdd ? "m\\u0061il" : name.replacing("\"", with: "\\\"")
            return "\(space())\"\(quoted)\"\(space()):\(space())\(value(depth: depth))\(space())"
        }
        return "{\(members.isEmpty ? space() : members.joined(separator: ","))}"
    }
}

extension JSONValue {
    /// With a text at a path; nil if something that is no object is on the way.
    fileprivate func setting(_ path: ArraySlice<String>, to text: String) -> JSONValue? {
        guard let name = path.first else { return .string(text) }
        guard case .object(var fields) = self else { return nil }
        let inside = path.count == 1 ? .null : fields[name] ?? .object([:])
        guard let value = inside.setting(path.dropFirst(), to: text) else { return nil }
        fields[name] = value
        return .object(fields)
    }

    fileprivate func removing(_ path: ArraySlice<String>) -> JSONValue {
        guard let name = path.first, case .object(var fields) = self, let inside = fields[name] else { return self }
        fields[name] = path.count == 1 ? nil : inside.removing(path.dropFirst())
        return .object(fields)
    }
}

@Suite("Answers to setup")
struct SetupAnswersTests {
    private static func read(_ text: String) throws -> SetupAnswers { try SetupAnswers(reading: Data(text.utf8)) }

    private static func file(_ more: String = "", address: String = "https://id.maple.example") -> String {
        "{\"name\": \" Maple District\", \"domain\": \"Maple.example\", \"address\": \"\(address)\"\(more)}"
    }

    @Test("A file with the three that are needed leaves mail and database as they are")
    func least() throws {
        let answers = try Self.read(Self.file())
        #expect(answers.name == "Maple District")
        #expect(answers.domain == "maple.example")
        #expect(answers.mail == .asItIs)
        #expect(answers.database == .asItIs)
        #expect(!answers.hasSecret)
    }

    @Test("Every defect is told, and no secret")
    func defects() throws {
        let text = """
            {"name": 1, "domain": "maple", "address": "http://id.maple.example", "database": "postgres://u:geheim@[h/y",
             "mail": {"server": "smtp://m", "password": "geheim", "colour": "red"}, "kind": "club", "Name": "x"}
            """
        let failure = #expect(throws: SetupAnswers.Defects.self) { try Self.read(text) }
        let sentences = try #require(failure).sentences
        for word in ["“Name”", "“name” is no text", "maple", "https", "kind", "sqlite", "mail.colour", "sender"] {
            #expect(sentences.contains { $0.contains(word) }, "\(word) in \(sentences)")
        }
        #expect(!sentences.joined().contains("geheim"))
    }

    @Test(
        "Addresses that people cannot reach safely are refused, others are made whole",
        arguments: [
            ("id.maple.example", "https://id.maple.example"), ("https://id.maple.example/", "https://id.maple.example"),
            ("http://localhost:8080", "http://localhost:8080"), ("http://id.maple.example", nil),
            ("ftp://id.maple.example", nil),
            ("https://", nil), ("", nil), ("https://user@id.maple.example", nil), ("https://id.maple.example/?a", nil),
        ] as [(String, String?)])
    func addresses(typed: String, address: String?) {
        #expect((try? SetupAnswers.checkedAddress(typed)) == address)
    }

    @Test("Mail has all it needs, or is refused")
    func mail() throws {
        func mail(_ text: String) throws -> SetupAnswers.Mail { try Self.read(Self.file(", \"mail\": \(text)")).mail }
        #expect(try mail("null") == .off)
        let from = "\"from\": \"id@maple.example\""
        let server = "\"server\": \"smtp://m.example:587\""
        #expect(
            try mail("{\(from), \(server)}") == .server(.init(from: "id@maple.example", url: "smtp://m.example:587")))
        for wrong in [
            "{\(from)}", "{\(server)}", "\"none\"", "{\(from), \(server), \"userName\": \"u\"}",
            "{\(from), \(server), \"password\": \"p\"}", "{\(from), \"server\": \"http://m.example\"}",
            "{\(from), \"server\": \"smtp://u:p@m.example\"}", "{\"from\": \"nobody\", \(server)}",
            "{\(from), \(server), \"userName\": \"u\", \"password\": \"p\", \"passwordFile\": \"/x\"}",
            "{\(from), \(server), \"userName\": \"u\", \"password\": \"\"}",
            "{\(from), \(server), \"userName\": \"u\", \"passwordFile\": \"smtp-password\"}",
            "{\(from), \(server), \"caFile\": \"./ca.pem\"}",
        ] {
            #expect(throws: SetupAnswers.Defects.self) { try mail(wrong) }
        }
    }

    @Test("Answers become settings, once")
    func settings() throws {
        let answers = try Self.read(
            Self.file(
                """
                , "database": "postgres://lanyard:geheim@db/lanyard", "mail": {"from": "id@maple.example", \
                "server": "smtps://m.example", "userName": "u", "password": "geheim", "operator": "root@maple.example"}
                """))
        #expect(answers.hasSecret)
        #expect(answers.mailPassword == "geheim\n")
        var settings = try SettingsText("{\"own\": 1, \"mail\": {\"maildir\": \"/x\"}}")
        func apply() throws -> [String] {
            try answers.apply(to: &settings, fileDatabase: "/data/lanyard.sqlite", passwordFile: "/etc/smtp-password")
        }
        let first = try apply()
        #expect(
            first == [
                "baseURL", "database", "mail.maildir", "mail.from", "mail.operator", "mail.smtp.url",
                "mail.smtp.userName",
                "mail.smtp.passwordFile",
            ])
        #expect(settings.value(["own"]) == .integer(1))
        #expect(settings.value(["mail", "maildir"]) == nil)
        #expect(settings.value(["mail", "smtp", "passwordFile"]) == .string("/etc/smtp-password"))
        let second = try apply()
        #expect(second == [])
        let off = SetupAnswers(
            name: "Maple District", domain: "maple.example", baseURL: "https://id.maple.example", mail: .off,
            database: .file)
        let third = try off.apply(to: &settings, fileDatabase: "/data/lanyard.sqlite", passwordFile: "/p")
        #expect(third == ["database", "mail"])
        #expect(settings.value(["database"]) == .string("/data/lanyard.sqlite"))
        #expect(settings.value(["mail"]) == nil)
    }

    @Test("What a server is set up with is not changed by answers")
    func refusals() {
        let answers = SetupAnswers(
            name: "Maple District", domain: "maple.example", baseURL: "https://id.maple.example", mail: .off,
            database: .file)
        func refusal(_ known: [(String, [String])], _ baseURL: String?, moves: Bool = false) -> String? {
            SetupState(known.map { .init(name: $0.0, kind: .school, domains: $0.1) }).refusal(
                of: answers, baseURL: baseURL, movesDatabase: moves)
        }
        let same = "https://id.maple.example"
        #expect(refusal([], "https://other.example", moves: true) == nil)
        #expect(refusal([("Maple District", [])], same) == nil)
        #expect(refusal([("Maple District", [])], nil) == nil)
        let named = refusal([("Oak District", ["oak.example"])], same)
        #expect(named?.contains("Oak District") == true && named?.contains("`lanyard init`") == true)
        #expect(
            refusal([("Maple District", []), ("Oak District", ["maple.example"])], same)?.contains("belongs to Oak")
                == true)
        #expect(refusal([("Maple District", [])], "https://other.example")?.contains("other.example") == true)
        #expect(refusal([("Maple District", [])], same, moves: true)?.contains("database") == true)
        for (kind, isRefused) in [(nil, false), (.school, false), (.business, true)] as [(Organization.Kind?, Bool)] {
            let answers = SetupAnswers(
                name: "Maple District", kind: kind, domain: "maple.example", baseURL: same, mail: .off, database: .file)
            let state = SetupState([.init(name: "Maple District", kind: .school, domains: [])])
            let reason = state.refusal(of: answers, baseURL: same, movesDatabase: false)
            #expect((reason?.contains("is a school") == true) == isRefused, "\(reason ?? "")")
        }
    }

    @Test(
        "A database is the same one with another user, password or way to it",
        arguments: [
            ("postgres://lanyard:old@db.example/lanyard", "postgres://lanyard:n%65w@db.example/lanyard", true),
            (
                "postgres://lanyard@db.example/lanyard",
                "postgresql://DB.example:5432/lanyard?user=other&sslmode=require", true
            ),
            ("postgres://lanyard@db.example", "postgres://db.example/lanyard", true),
            ("postgres:///lanyard?host=db.example", "postgres://db.example/lanyard", true),
            ("postgres://db.example/lanyard", "postgres://db.example/lanyard2", false),
            ("postgres://db.example/lanyard", "postgres://db2.example/lanyard", false),
            ("postgres:///?service=one", "postgres:///?service=two", false),
            (
                "postgres://db.example/lanyard?options=-csearch_path%3Done",
                "postgres://db.example/lanyard?options=-csearch_path%3Dtwo", false
            ),
            ("postgres://db.example/lanyard", "postgres://db.example:5433/lanyard", false),
            ("postgres://db.example/lanyard", "/var/lib/lanyard/lanyard.sqlite", false),
            ("/var/lib/lanyard/lanyard.sqlite", "/var/lib/lanyard/lanyard.sqlite", true),
            ("/var/lib/lanyard/lanyard.sqlite", "/var/lib/lanyard/other.sqlite", false),
        ])
    func sameDatabase(one: String, other: String, isSame: Bool) {
        #expect(SetupCommand.isSameDatabase(one, other) == isSame)
        #expect(SetupCommand.isSameDatabase(other, one) == isSame)
    }
}

@Suite("What is around a server")
struct NetworkExaminationTests {
    @Test("A name leads here, elsewhere, or nowhere")
    func name() {
        func status(_ found: Set<String>) -> DoctorFinding.Status {
            AddressExamination.name("id.maple.example", leadsTo: found, ownAddresses: ["192.0.2.1", "::1"]).status
        }
        #expect(status(["192.0.2.1", "192.0.2.9"]) == .ok)
        #expect(status(["192.0.2.9"]) == .warning)
        #expect(status([]) == .warning)
    }

    @Test("A certificate is spoken of before it ends, and when it is not trusted")
    func certificate() {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        func status(_ visit: AddressExamination.Visit) -> DoctorFinding.Status {
            AddressExamination.certificate("id.maple.example", visit, now: now).status
        }
        #expect(status(.answered(status: 200, end: now.addingTimeInterval(30 * 86_400))) == .ok)
        #expect(status(.answered(status: 200, end: nil)) == .ok)
        #expect(status(.answered(status: 200, end: now.addingTimeInterval(13 * 86_400))) == .warning)
        #expect(status(.answered(status: 502, end: now.addingTimeInterval(30 * 86_400))) == .warning)
        #expect(status(.refused("it has ended")) == .problem)
        #expect(status(.silent("connection refused")) == .warning)
    }

    @Test(
        "Administrators are told of a certificate that is not trusted or soon ends, and of nothing that a machine cannot know"
    )
    func distrust() {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        func isDistrusted(_ visit: AddressExamination.Visit) -> Bool {
            AddressExamination.isDistrusted(visit, now: now)
        }
        #expect(isDistrusted(.refused("it has ended")))
        #expect(isDistrusted(.answered(status: 200, end: now.addingTimeInterval(13 * 86_400))))
        #expect(!isDistrusted(.answered(status: 502, end: now.addingTimeInterval(30 * 86_400))))
        #expect(!isDistrusted(.answered(status: 200, end: nil)))
        #expect(!isDistrusted(.silent("connection refused")))
    }

    @Test("A clock that nobody keeps is a warning; where that is not told, nothing is claimed")
    func clock() {
        #expect(NetworkExamination.clock(isKept: 1).status == .ok)
        #expect(NetworkExamination.clock(isKept: 0).status == .warning)
        #expect(NetworkExamination.clock(isKept: -1).status == .ok)
    }
}

@Suite("Settings that are written")
struct SettingsFilesTests {
    @Test("A file keeps its mode, a new one is for its owner alone, and all come back")
    func restores() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("settings-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func mode(_ name: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.posixPermissions] as? Int
        }
        #expect(
            FileManager.default.createFile(
                atPath: "\(folder)/old", contents: Data("old".utf8), attributes: [.posixPermissions: 0o640]))
        let files = SettingsFiles(owner: nil)
        let changed = try files.write(Data("new".utf8), to: "\(folder)/old")
        let same = try files.write(Data("new".utf8), to: "\(folder)/old")
        try files.write(Data("secret".utf8), to: "\(folder)/new")
        #expect(changed && !same)
        #expect(try mode("old") == 0o640)
        #expect(try mode("new") == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["new", "old"])
        #expect(throws: Failure.self) { try files.write(Data(), to: "\(folder)/missing/file") }
        files.restore()
        #expect(try String(contentsOfFile: "\(folder)/old", encoding: .utf8) == "old")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["old"])
    }
}
