import Administration
import AdministrationExamples
import Directory
import Fixtures
import Foundation
import NIOHTTP1
import RosterFiles
import Storage
import Testing

@testable import ServerHTTP
@testable import TestServers

/// What pages and forms of ``ConsoleCase`` are about that no form before them makes: imports, jobs, a device and a program of
/// Maple District.
struct ConsoleSubjects: Sendable {
    private let server: TestServer
    private let earlier: Int
    private let later: Int
    private let device: String
    private let client: String
    /// Jobs, by the beginning of their routes.
    private let jobs: [String: String]

    private static let school = "L-1"

    /// - Parameter visitor: whose jobs they are, as nobody sees another person's; those that the role may not begin are an
    ///   Administrator's.
    init(of visitor: ConsoleVisitor, _ role: Role) async throws {
        server = visitor.server
        let operation = APIUser.operator(of: server)
        let maple = OrganizationReference.named(server.maple.organization.publicID)
        _ = try await operation.perform(
            AddLocation(name: "Maple Elementary", locationID: Self.school), in: maple)
        earlier = try await Self.importRoster(RosterTexts(), server).importID ?? 0
        later = try await Self.importRoster(Self.texts("Bergmann"), server).importID ?? 0
        device = try await server.addDevice(for: server.maple.nadia).id
        client = try await operation.perform(AddAPIClient(name: "Timetable", privileges: [.readPeople]), in: maple)
            .answer.client.clientID

        let administrator = role == .administrator ? visitor : try await ConsoleVisitor(.administrator, of: server)
        func owner(_ privilege: Privilege) -> ConsoleVisitor {
            role.usualPrivileges.contains(privilege) ? visitor : administrator
        }
        let passwords = owner(.issuePasswords)
        // The passwords are those of one class, because the visitor may be a pupil too and would be signed out.
        let given = try await passwords.post(
            "/manager/people/passwords",
            ["class": "CL-\(server.maple.science.rawValue)", "role": "student", "who": "all"])
        let files = owner(.importRoster)
        let uploaded = try await files.upload(
            Self.texts("Berglund"), to: "/manager/imports/upload", ["school": Self.school])
        var moved = RosterTexts()
        moved.students = moved.students.map { "N-\($0)" }
        moved.rosters = ["1,K-1,N-S-1", "2,K-1,N-S-2"]
        let guessed = try await files.upload(moved, to: "/manager/imports/ids")
        jobs = [
            "/manager/people/passwords/": try await passwords.ended(given),
            "/manager/imports/jobs/": try await files.ended(uploaded),
            "/manager/imports/ids/": try await files.ended(guessed),
        ]
    }

    /// The text of a route or a query, with what it is about.
    func filled(_ text: String, in route: String) -> String {
        let job = jobs.first { route.hasPrefix($0.key) }?.value ?? ""
        let names = [
            "{job}": job, "{import}": "\(later)", "{earlier}": "\(earlier)", "{device}": device, "{client}": client,
        ]
        return names.reduce(text) { $0.replacingOccurrences(of: $1.key, with: $1.value) }
    }

    /// The case about one of these. A plan that waits is used up by approving or giving it up, so each gets its own.
    /// - Parameter isCarriedOut: false for a case that is refused, which uses up nothing.
    func about(_ one: ConsoleCase, isCarriedOut: Bool = true) async throws -> ConsoleCase {
        var one = one
        let route = one.route
        if isCarriedOut, one.method == .POST, ["/approve", "/discard"].contains(where: route.hasSuffix) {
            // A plan that the form before has approved is applied in a job, and one that is made meanwhile is out of date then.
            try await allJobsEnd()
            let texts = Self.texts(route.hasSuffix("/approve") ? "Bergson" : "Bergqvist")
            let held = try await Self.importRoster(texts, server, hold: true)
            let plan = try #require(held.planID, "\(held)")
            one.address = route.replacingOccurrences(of: "{import}", with: plan)
        } else {
            one.address = filled(route + one.query, in: route)
        }
        return one
    }

    private func allJobsEnd() async throws {
        for _ in 0..<2_000 {
            let isOpen = try await server.database.read {
                try $0.exists("SELECT 1 FROM administration_job WHERE ended_at IS NULL")
            }
            guard isOpen else { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw APIUser.NeverEnded()
    }

    // MARK: Imports

    private static func texts(_ familyName: String) -> RosterTexts {
        var texts = RosterTexts()
        texts.students[1] = "S-2,L-1,Bo,\(familyName),,,4,,,"
        return texts
    }

    /// Imports files of one school, so that nobody else of the district leaves.
    private static func importRoster(
        _ texts: RosterTexts, _ server: TestServer, hold: Bool? = nil
    ) async throws -> ImportRoster.Answer {
        try await APIUser.operator(of: server).perform(
            ImportRoster(.archive(texts.archive()), schools: [LocationReference(school)], hold: hold),
            in: .named(server.maple.organization.publicID)
        ).answer
    }
}

extension ConsoleVisitor {
    /// Sends files with a form, as a browser does.
    func upload(_ texts: RosterTexts, to path: String, _ fields: [String: String] = [:]) async throws -> Answer {
        var body = ""
        for (name, value) in [("csrf_token", token)] + fields.map({ ($0.key, $0.value) }) {
            body += "--files\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
        }
        for (name, lines) in texts.files {
            body += "--files\r\nContent-Disposition: form-data; name=\"files\"; filename=\"\(name)\"\r\n\r\n"
            body += lines.joined(separator: "\n") + "\n\r\n"
        }
        return try await browser.send(
            .POST, path, ["Content-Type": "multipart/form-data; boundary=files"], body: body + "--files--\r\n")
    }

    /// The id of the job to whose page a form has led, once the job has ended.
    func ended(_ begun: Answer) async throws -> String {
        guard begun.status == 303 else { throw APIUser.NeverEnded() }
        for _ in 0..<2_000 {
            let page = try await browser.get(begun.location)
            guard page.body.contains("http-equiv=\"refresh\"") else {
                return begun.location.split(separator: "/").last.map(String.init) ?? ""
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw APIUser.NeverEnded()
    }
}
