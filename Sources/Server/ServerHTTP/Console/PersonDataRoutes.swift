import Administration
import Authorization
import ConsolePages
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServerPages

/// What is known about a person, who has read it, and how it is erased.
struct PersonDataRoutes: Sendable {
    let door: ConsoleDoor

    private static let path = PeopleRoutes.path

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager/people/{person}/readers", use: readers)
        router.get("manager/people/{person}/data", use: show)
        for file in DescribePersonPage.File.allCases {
            router.get("manager/people/{person}/data/\(file.rawValue)") { request, context in
                try await give(file, request, context)
            }
        }
        router.get("manager/people/{person}/erase", use: askToErase)
        router.post("manager/people/{person}/erase", use: erase)
    }

    @Sendable private func readers(_ request: Request, context: AppContext) async throws -> Response {
        let reference = try context.person
        let before = try request.queryParameters()["before"].flatMap { Int($0) }
        return try await door.open(request, context, in: .people) { visit in
            let person = try await visit.ask(ShowPerson(person: reference))
            let answer = try await visit.ask(ListReaders(person: reference, before: before, limit: 50))
            return .page(ReadersPage(desk: visit.desk, person: person, answer: answer, before: before))
        }
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let reference = try context.person
        return try await door.open(request, context, in: .people) { visit in
            let data = try await visit.ask(DescribePerson(person: reference))
            let person = try await visit.ask(ShowPerson(person: reference))
            return .page(DescribePersonPage(desk: visit.desk, person: person, data: data))
        }
    }

    private func give(
        _ file: DescribePersonPage.File, _ request: Request, _ context: AppContext
    ) async throws -> Response {
        let reference = try context.person
        return try await door.open(request, context, in: .people) { visit in
            let data = try await visit.ask(DescribePerson(person: reference))
            let (bytes, type): (Data, String) =
                switch file {
                case .html:
                    (
                        Data(door.desks.door.pages.pages.document(PersonDataPage(data), in: visit.language).utf8),
                        "text/html; charset=utf-8"
                    )
                case .csv: (Data(data.csv.utf8), "text/csv; charset=utf-8")
                case .json: (try JSONEncoder.administration.encode(data), "application/json")
                }
            return .response(.file(bytes, type, called: "PE-\(data.number).\(file.rawValue)"))
        }
    }

    // MARK: Erasing

    @Sendable private func askToErase(_ request: Request, context: AppContext) async throws -> Response {
        let reference = try context.person
        return try await door.open(request, context, in: .people, confirmsIdentity: true) { visit in
            .page(try await erasure(of: reference, visit))
        }
    }

    private func erasure(
        of reference: PersonReference, failure: OperationFailure? = nil, _ visit: ConsoleDoor.Visit
    ) async throws -> ConfirmPage {
        try visit.require(ErasePerson.self)
        let person = try await visit.ask(ShowPerson(person: reference))
        let path = "\(Self.path)/PE-\(person.number)"
        return ConfirmPage(
            desk: visit.desk, section: .people, heading: EraseWords.heading(person),
            parent: ConsoleLink(.named(person.fullName), to: path), consequences: EraseWords.consequences,
            preview: try await visit.preview(ErasePerson(person: reference)), action: "\(path)/erase",
            fields: [EraseWords.field(person, isWrong: failure != nil)], button: EraseWords.button, isFinal: true,
            failure: failure)
    }

    @Sendable private func erase(_ request: Request, context: AppContext) async throws -> Response {
        let reference = try context.person
        return try await door.submit(
            request, context, in: .people, from: request.routedPath, confirmsIdentity: true,
            again: { visit, _, failure in
                guard failure.field == Self.typedName else {
                    return ConsoleProblemPage(
                        frame: visit.desk.frame(in: .people), failure: failure, back: ConsoleSection.people.path)
                }
                return try await erasure(of: reference, failure: failure, visit)
            }
        ) { visit, input in
            try visit.require(ErasePerson.self)
            let person = try await visit.ask(ShowPerson(person: reference))
            guard try input.repeats(person.fullName) else {
                throw OperationError.invalid(field: Self.typedName, reason: "is not the name of the person")
            }
            _ = try await visit.perform(ErasePerson(person: reference), ifVersion: try input.version ?? "")
            return .next(Self.path, changes: [])
        }
    }

    private static let typedName = "what was typed"
}

extension PersonDataPage {
    package init(_ data: PersonData) {
        self.init(
            fullName: data.fullName, organization: data.organizationName, number: data.number, at: data.at,
            sections: data.sections.map { Section(name: $0.name.rawValue, columns: $0.columns, rows: $0.rows) })
    }
}

extension Response {
    /// A file that the browser keeps, and nothing on the way does.
    static func file(_ bytes: Data, _ contentType: String, called name: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: contentType, .contentDisposition: "attachment; filename=\"\(name)\"",
                .cacheControl: "no-store",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
