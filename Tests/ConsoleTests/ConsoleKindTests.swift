import Administration
import AdministrationExamples
import Directory
import Fixtures
import Foundation
import NIOHTTP1
import RosterFiles
import ServerPages
import Storage
import TestSupport
import Testing

@testable import ServerHTTP
@testable import TestServers

/// One console for every kind of organization: what there is nothing for is absent, and not merely refused.
@Suite struct ConsoleKindTests {
    /// Words of schools, which nobody reads in a business. “Terms” may also be those of use.
    private static func wordsOfSchools(_ language: Language) -> Regex<Substring> {
        switch language {
        case .english:
            #/(?i)\b(?:school|class|classes|term|pupils?|students?|instructors?|teachers?|grades?|rosters?)\b/#
        case .japanese: #/学校|クラス|学期|生徒|講師|教師|学年|名簿/#
        case .korean: #/학교|수업|학기|학생|강사|교사|학년|명단/#
        }
    }

    private static let placesOfSchools = [
        "/manager/classes", "/manager/apps", "/manager/access/data-sharing", "/manager/imports/ids",
    ]

    @Test(
        "nobody reads of classes, pupils, terms, grades or rosters in a business, and every link leads somewhere",
        arguments: Language.allCases)
    func business(_ language: Language) async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server, addingTerm: false)
            let imported = try await Self.makeBusiness(of: server)
            _ = try await visitor.post("/manager/people/passwords", ["role": "staff", "who": "all"])
            let schools =
                ConsoleCase.classes + ConsoleCase.terms + ConsoleCase.apps + ConsoleCase.dataSharing
                + ConsoleCase.idMaps
            let absent = Set(schools.map(\.route))
            let place = server.maple.annex.id.rawValue
            var waiting =
                ConsoleCase.all.filter { $0.method == .GET && !absent.contains($0.route) }
                .map { visitor.filled($0.route + $0.query, about: server.maple) }
                + imported.flatMap { ["/manager/imports/\($0)", "/manager/imports/\($0)/undo"] }
                + ["/manager/locations/\(place)/remove", "/manager/locations?state=removed"]
            let given = Set(waiting)
            // Most links stand on every page, so their kinds are asked for once.
            var (seen, kinds, read) = (given, Set(given.map(Self.kind)), 0)
            let words = Self.wordsOfSchools(language)
            while let path = waiting.popLast() {
                let answer = try await visitor.browser.get(path, ["Accept-Language": language.rawValue])
                // Not each example has its subject here, but each link has one.
                #expect(
                    answer.status < 400 || (given.contains(path) && [404, 422].contains(answer.status)),
                    "\(path) \(answer.status)")
                guard answer.headers["Content-Type"].first?.hasPrefix("text/html") == true else { continue }
                read += 1
                #expect(answer.body.contains("<html lang=\"\(language.rawValue)\""), "\(path)")
                let found = Self.text(of: answer.body).matches(of: words).map { String($0.0) }
                #expect(found == [], "\(path)")
                for link in Self.links(of: answer.body) {
                    #expect(!Self.placesOfSchools.contains { link.hasPrefix($0) }, "\(path) leads to \(link)")
                    if seen.insert(link).inserted, kinds.insert(Self.kind(link)).inserted { waiting.append(link) }
                }
            }
            #expect(read > 50)
        }
    }

    @Test("a sandbox is a school without domains, realms and pick-ups, and every link leads somewhere")
    func sandbox() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor(.administrator, of: server)
            try await server.database.write {
                try $0.execute(
                    "UPDATE organization SET sandbox_domain = 'maple.sandbox.example' WHERE name = 'Maple District'")
            }
            var links: Set<String> = []
            for section in ["", "/people", "/classes", "/locations", "/imports", "/settings"] {
                let page = try await visitor.browser.get("/manager\(section)")
                #expect(page.status == 200, "\(section)")
                links.formUnion(Self.links(of: page.body))
            }
            #expect(links.contains("/manager/classes") && links.contains("/manager/apps"))
            for link in links {
                for absent in ["settings/domains", "settings/realms", "settings/mail", "imports/pick-ups"] {
                    #expect(!link.hasPrefix("/manager/\(absent)"), "\(link)")
                }
                #expect(try await visitor.browser.get(link).status < 400, "\(link)")
            }
        }
    }

    /// Makes a business of Maple District, with imports: one that is applied, and one that waits.
    /// - Returns: by what their pages name them
    private static func makeBusiness(of server: TestServer) async throws -> [String] {
        let maple = server.maple
        try await server.database.write { transaction in
            for statement in [
                "DELETE FROM class_student", "DELETE FROM class_instructor", "DELETE FROM class",
                "DELETE FROM role_assignment WHERE role IN ('student', 'instructor')", "UPDATE person SET grade = NULL",
                "UPDATE organization SET kind = 'business' WHERE name = 'Maple District'",
            ] {
                try transaction.execute(statement)
            }
            try RoleAssignment(.staff, at: maple.annex.id).insert(
                for: maple.nadia.id, of: maple.organization.id, at: server.fixed.now, in: transaction)
        }
        let administrator = Administrator(
            .operator, from: .commandLine, database: server.database, services: APIUser.services(of: server))
        var ids: [String] = []
        for hold in [false, true] {
            let archive = try staff(hold ? ["Okafor"] : ["Okafor", "Meyer"])
            func send(approving plan: String? = nil) async throws -> ImportRoster.Answer {
                try await administrator.perform(
                    ImportRoster(.archive(archive), approve: plan, hold: hold), in: .named(maple.organization.publicID)
                ).answer
            }
            var answer = try await send()
            if !hold, answer.outcome == .held { answer = try await send(approving: answer.planID) }
            ids.append(try #require(hold ? answer.planID : answer.importID.map { "\($0)" }))
        }
        return ids
    }

    private static func staff(_ names: [String]) throws -> Data {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("staff-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let rows = names.map { "E-\($0),,Ines,,\($0),,," }
        let lines = ["person_id,person_number,first_name,middle_name,last_name,email_address,sis_username,location_id"]
        try Data(((lines + rows).joined(separator: "\n") + "\n").utf8)
            .write(to: folder.appendingPathComponent("staff.csv"))
        let package = try RosterPackage(at: folder.path)
        return try package.part(at: 0, bytesMax: package.bytes)
    }

    /// What is read on a page, but for the words of files and of the trail, the name of the service, those of a location and a
    /// person, and fixed scripts.
    private static func text(of body: String) -> String {
        body.replacing(#/(?s)<script.*?</script>|<bdi class="verbatim">.*?</bdi>|<span lang="en".*?</span>/#, with: "")
            .replacing(#/<[^>]*>/#, with: " ")
            .replacing(#/Work &amp; School|職場・学校のLanyard|직장 및 학교 Lanyard|High School|Tara Teacher/#, with: "")
    }

    private static func links(of body: String) -> [String] {
        body.matches(of: #/(?:href|data-path)="(/manager[^"#]*)/#).map {
            String($0.1).replacing("&amp;", with: "&")
        }
    }

    /// A path without numbers and ids, so that one page of each kind is read.
    private static func kind(_ path: String) -> String {
        path.replacing(#/[A-Za-z0-9_-]*[0-9][A-Za-z0-9_-]*/#, with: "0").replacing(#/=[^&]*/#, with: "=")
    }
}
