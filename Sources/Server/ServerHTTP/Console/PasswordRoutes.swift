import Administration
import ConsolePages
import Directory
import Foundation
import Ground
import Hummingbird
import PasswordSlips
import ServerPages

/// `/manager/people/passwords`, and a new password for one person. No page keeps a password: one is in the answer to
/// the form alone, many are in a file.
struct PasswordRoutes: Sendable {
    let door: ConsoleDoor
    let baseURL: String
    /// Whether members of staff can get theirs by mail.
    let sendsMail: Bool

    /// Slips of thousands take seconds to draw.
    private static let drawing = BlockingQueue(width: 1)
    private static let path = GivePasswordsPage.path

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager/people/{person}/password", use: askForOne)
        router.post("manager/people/{person}/password", use: giveOne)
        router.get("manager/people/passwords", use: show)
        router.post("manager/people/passwords", use: begin)
        router.get("manager/people/passwords/{job}", use: showJob)
        router.post("manager/people/passwords/{job}/file", use: file)
        router.post("manager/people/passwords/{job}/delete", use: delete)
    }

    private var address: String { baseURL.asTyped }

    // MARK: One

    @Sendable private func askForOne(_ request: Request, context: AppContext) async throws -> Response {
        let reference = try context.person
        return try await door.open(request, context, in: .people) { visit in
            let person = try await visit.ask(ShowPerson(person: reference))
            let path = "\(PeopleRoutes.path)/PE-\(person.number)"
            return .page(
                ConfirmPage(
                    desk: visit.desk, section: .people, heading: PasswordWords.heading(person),
                    parent: ConsoleLink(.named(person.fullName), to: path), consequences: PasswordWords.consequences,
                    preview: try await visit.preview(IssuePassword(person: reference)), action: "\(path)/password",
                    button: PasswordWords.button, isFinal: true))
        }
    }

    @Sendable private func giveOne(_ request: Request, context: AppContext) async throws -> Response {
        let reference = try context.person
        return try await door.submit(request, context, in: .people, from: request.routedPath) { visit, input in
            let person = try await visit.ask(ShowPerson(person: reference))
            let given = try await visit.perform(IssuePassword(person: reference), ifVersion: try input.version).answer
            return .page(
                PasswordGivenPage(desk: visit.desk, number: person.number, given: given, address: address))
        }
    }

    // MARK: Many

    private static func query(_ input: ConsoleInput) throws -> GivePasswordsPage.Query {
        .init(
            class: try input["class"], location: try input["at"], role: try input.value("role"),
            replaces: try input["who"] == "all", sendsLetters: try input["how"] == "letters")
    }

    private static func change(_ query: GivePasswordsPage.Query) -> IssuePasswords {
        IssuePasswords(
            class: query.rosterClass.map(ClassReference.init), at: query.location.map(LocationReference.init),
            role: query.role, all: query.replaces ? true : nil, letters: query.sendsLetters ? true : nil)
    }

    private func page(
        _ query: GivePasswordsPage.Query, _ problem: GivePasswordsPage.Problem?, _ visit: ConsoleDoor.Visit
    ) async throws -> GivePasswordsPage {
        GivePasswordsPage(
            desk: visit.desk, query: query, sendsMail: visit.getsMail(sendsMail),
            locations: try await visit.locations(),
            jobs: try await visit.administrator.jobs(of: IssuePasswords.self, in: visit.place), problem: problem)
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let input = ConsoleInput(try request.queryParameters())
        return try await door.open(request, context, in: .people) { visit in
            try visit.require(IssuePasswords.self)
            let query = try Self.query(input)
            guard try input["look"] != nil else { return .page(try await page(query, nil, visit)) }
            guard !query.replaces || !query.isAnybody else {
                return .refusal(try await page(query, .everybody, visit))
            }
            let preview: Preview
            do {
                preview = try await visit.preview(Self.change(query))
            } catch {
                guard let failure = OperationFailure(error), failure.kind != .forbidden else { throw error }
                return .refusal(try await page(query, .refused(failure), visit))
            }
            let count = preview.counts.values.reduce(0, +)
            let mailed = preview.counts[AuditEntry.Action.passwordMailed.rawValue] ?? 0
            guard count > 0 else { return .page(try await page(query, .nobody, visit)) }
            return .page(
                ConfirmPage(
                    desk: visit.desk, section: visit.desk.isTeachers ? .home : .people,
                    heading: PasswordWords.heading(count: count),
                    parent: ConsoleLink(PasswordWords.manyHeading, to: Self.path),
                    consequences: PasswordWords.consequences(
                        replaces: query.replaces, count: count, mailed: query.sendsLetters ? mailed : nil),
                    preview: preview,
                    action: Self.path, inputs: query.fields, button: PasswordWords.manyButton, isFinal: true))
        }
    }

    @Sendable private func begin(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(
            request, context, in: .people, from: Self.path,
            again: { visit, input, failure in try await page(try Self.query(input), .refused(failure), visit) }
        ) { visit, input in
            let query = try Self.query(input)
            guard !query.replaces || !query.isAnybody else {
                return .refusal(try await page(query, .everybody, visit))
            }
            let job = try await visit.administrator.begin(Self.change(query), in: visit.place)
            return .next("\(Self.path)/\(job)", changes: [])
        }
    }

    // MARK: While they are made, and after

    @Sendable private func showJob(_ request: Request, context: AppContext) async throws -> Response {
        let id = try context.pathInput("job")
        return try await door.open(request, context, in: .people) { visit in
            try visit.require(IssuePasswords.self)
            let job = try await visit.administrator.job(id, of: IssuePasswords.self, in: visit.place)
            return .page(
                PasswordsJobPage(
                    desk: visit.desk, job: job.record, issued: job.answer,
                    language: visit.organization.rules.language.flatMap(Language.init) ?? visit.language))
        }
    }

    @Sendable private func file(_ request: Request, context: AppContext) async throws -> Response {
        let id = try context.pathInput("job")
        return try await door.submit(request, context, in: .people, from: "\(Self.path)/\(id)") { visit, input in
            try visit.require(IssuePasswords.self)
            guard let file: PasswordsJobPage.File = try input.value("file") else { throw PageError.notFound }
            let job = try await visit.administrator.job(id, of: IssuePasswords.self, in: visit.place)
            guard let issued = job.answer else { return .next("\(Self.path)/\(id)", changes: []) }
            guard file != .csv else {
                return .response(
                    .file(PasswordSheet(issued).bytes, "text/csv; charset=utf-8", called: "passwords.csv"))
            }
            let document = SlipDocument(
                issued, address: address, language: try input.value("language"),
                layout: SlipLayout(try input.value("paper") ?? .a4, isOneAPage: file == .large))
            let rendered = try await Self.drawing.run { try document.render() }
            return .response(.file(rendered.pdf, "application/pdf", called: "passwords.pdf"))
        }
    }

    @Sendable private func delete(_ request: Request, context: AppContext) async throws -> Response {
        let id = try context.pathInput("job")
        return try await door.submit(request, context, in: .people, from: "\(Self.path)/\(id)") { visit, _ in
            try visit.require(IssuePasswords.self)
            try await visit.administrator.forgetAnswer(of: id, in: visit.place)
            return .next("\(Self.path)/\(id)", changes: [])
        }
    }
}

extension String {
    /// An address where people sign in, as they are to type it: a browser adds the rest by itself.
    package var asTyped: String { hasPrefix("https://") ? String(dropFirst("https://".count)) : self }
}
