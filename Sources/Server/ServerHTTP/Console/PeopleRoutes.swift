import Administration
import Authorization
import ConsolePages
import Directory
import Foundation
import Ground
import Hummingbird
import ServerPages

/// `/manager/people`: search, and the pages of single people.
struct PeopleRoutes: Sendable {
    let door: ConsoleDoor

    static let path = ConsoleSection.people.path
    /// How many people a page shows. Each costs the browser most of a millisecond, and it may need 100 for a whole page.
    private static let shown = 30
    /// How many classes stand on a person's page. The others are on further pages.
    private static let classesShown = 50

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager/people", use: list)
        router.post("manager/people/bulk", use: actOnSeveral)
        router.get("manager/people/{person}", use: show)
        router.get("manager/people/{person}/edit", use: showEdit)
        router.post("manager/people/{person}/edit", use: edit)
        for action in PersonAction.allCases {
            router.get("manager/people/{person}/\(action.rawValue)") { request, context in
                try await ask(action, request, context)
            }
            router.post("manager/people/{person}/\(action.rawValue)") { request, context in
                try await act(action, request, context)
            }
        }
    }

    // MARK: The list

    @Sendable private func list(_ request: Request, context: AppContext) async throws -> Response {
        let input = ConsoleInput(try request.queryParameters())
        return try await door.open(request, context, in: .people) { visit in
            .page(try await Self.page(try Self.query(input), visit))
        }
    }

    private static func page(
        _ query: PeoplePage.Query, isNobodyChosen: Bool = false, _ visit: ConsoleDoor.Visit
    ) async throws -> PeoplePage {
        PeoplePage(
            desk: visit.desk, query: query, found: try await visit.ask(list(query, limit: shown)),
            locations: try await visit.locations(), isNobodyChosen: isNobodyChosen)
    }

    private static func query(_ input: ConsoleInput) throws -> PeoplePage.Query {
        .init(
            text: try input["text"], role: try input.value("role"), state: try input.value("state"),
            location: try input["at"], class: try input["class"], after: try input["after"].flatMap { Int64($0) })
    }

    private static func list(_ query: PeoplePage.Query, limit: Int) -> ListPeople {
        ListPeople(
            role: query.role, at: query.location.map(LocationReference.init),
            class: query.rosterClass.map(ClassReference.init), state: query.state, text: query.text,
            after: query.after, limit: limit)
    }

    // MARK: One person

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let reference = try context.person
        let after = try request.queryParameters()["after"].flatMap { Int64($0) }
        return try await door.open(request, context, in: .people) { visit in
            let person = try await visit.ask(ShowPerson(person: reference))
            let signIns = try await visit.ask(ShowSignIns(person: reference))
            let classes =
                visit.desk.isSchool
                ? try await visit.ask(ListClasses(person: reference, after: after, limit: Self.classesShown)) : nil
            let allowed = try await visit.administrator.privileges(
                among: PersonPage.asked, over: reference, in: visit.place)
            let devices =
                allowed.contains(ListDevices.privilege)
                ? try await visit.ask(ListDevices(person: reference)).devices.count : nil
            return .page(
                PersonPage(
                    desk: visit.desk, person: person, signIns: signIns, classes: classes, after: after,
                    devices: devices, allowed: allowed,
                    now: door.services.surroundings.now()))
        }
    }

    @Sendable private func showEdit(_ request: Request, context: AppContext) async throws -> Response {
        let reference = try context.person
        return try await door.open(request, context, in: .people) { visit in
            try visit.require(EditPerson.self)
            return .page(EditPersonPage(desk: visit.desk, person: try await visit.ask(ShowPerson(person: reference))))
        }
    }

    @Sendable private func edit(_ request: Request, context: AppContext) async throws -> Response {
        let reference = try context.person
        let page = request.routedPath
        return try await door.submit(
            request, context, in: .people, from: page,
            again: { visit, input, failure in
                let person = try await visit.ask(ShowPerson(person: reference))
                let typed = try EditPersonPage.names(of: person, at: visit.desk).map { ($0, try input[$0] ?? "") }
                return EditPersonPage(
                    desk: visit.desk, person: person, typed: Dictionary(uniqueKeysWithValues: typed), failure: failure)
            }
        ) { visit, input in
            let done = try await visit.perform(
                EditPerson(
                    person: reference, firstName: try input["firstName"], middleName: try input["middleName"],
                    lastName: try input["lastName"], email: try input["email"], grade: try input["grade"],
                    personID: try input["personID"],
                    passwordPolicy: try input["passwordPolicy"] == nil ? nil : input.required("passwordPolicy"),
                    // What the form had, and was sent empty.
                    clear: try EditPerson.OptionalField.allCases.filter {
                        try !input.all($0.rawValue).isEmpty && input[$0.rawValue] == nil
                    }),
                ifVersion: try input.version)
            return .next("\(Self.path)/PE-\(done.answer.person.number)", changes: done.changes)
        }
    }

    // MARK: What is done with people

    @Sendable private func ask(
        _ action: PersonAction, _ request: Request, _ context: AppContext
    ) async throws -> Response {
        let reference = try context.person
        return try await door.open(request, context, in: .people) { visit in
            let person = try await visit.ask(ShowPerson(person: reference))
            let preview = try await visit.preview(action.change, of: reference)
            let path = "\(Self.path)/PE-\(person.number)"
            return .page(
                ConfirmPage(
                    desk: visit.desk, section: .people, heading: action.heading(of: person.fullName),
                    parent: ConsoleLink(.named(person.fullName), to: path), consequences: action.consequences,
                    preview: preview, action: "\(path)/\(action.rawValue)", button: action.button,
                    isFinal: action.change.undo != .possible))
        }
    }

    @Sendable private func act(
        _ action: PersonAction, _ request: Request, _ context: AppContext
    ) async throws -> Response {
        let reference = try context.person
        return try await door.submit(request, context, in: .people, from: request.routedPath) { visit, input in
            let changes = try await visit.perform(
                action.change, on: reference, ifVersion: try input.version)
            return .next("\(Self.path)/\(try context.parameters.require("person"))", changes: changes)
        }
    }

    /// How many people one press of a button concerns at most.
    private static let togetherMax = 1_000

    /// The same for those who are ticked in the list, or for all whom the filter lets through: first what would follow,
    /// then, with the same button, doing it.
    @Sendable private func actOnSeveral(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(request, context, in: .people, from: Self.path) { visit, input in
            guard let action = try input.value("action", as: PersonAction.self) else { throw PageError.notFound }
            let isEverybody = try input["scope"] == "all"
            let chosen = isEverybody ? try await everybody(try Self.query(input), visit) : input.all("choice")
            guard !chosen.isEmpty else {
                return .refusal(try await Self.page(try Self.query(input), isNobodyChosen: true, visit))
            }
            let references = chosen.map(PersonReference.init)
            // Who has come to those whom the filter lets through since the page was shown was not on it.
            if try input.isConfirmed, try !isEverybody || input["count"] == "\(chosen.count)" {
                return .next(Self.path, changes: try await visit.performEach(action.change, on: references))
            }
            let preview = try await visit.preview(action.change, of: references)
            let whom =
                isEverybody
                ? try Self.query(input).fields + [("scope", "all"), ("count", "\(chosen.count)")]
                : chosen.map { ("choice", $0) }
            return .page(
                ConfirmPage(
                    desk: visit.desk, section: .people, heading: action.heading(of: nil),
                    parent: ConsoleLink(Sentence("consolePeople.heading"), to: Self.path),
                    consequences: action.consequences, preview: preview, action: "\(Self.path)/bulk",
                    inputs: [("action", action.rawValue)] + whom, button: action.button,
                    isFinal: action.change.undo != .possible))
        }
    }

    private func everybody(_ query: PeoplePage.Query, _ visit: ConsoleDoor.Visit) async throws -> [String] {
        var query = query
        query.after = nil
        guard !query.isEmpty else {
            throw OperationError.refused("Nothing narrows the list, and the whole organization is too much at once.")
        }
        let found = try await visit.ask(Self.list(query, limit: Self.togetherMax))
        guard found.next == nil else {
            throw OperationError.refused(
                "These are more than \(Self.togetherMax) people. Narrow the list, and do it in parts.")
        }
        return found.people.map { "PE-\($0.number)" }
    }
}

// MARK: Operations

/// A change that names nothing but a person.
private protocol PersonChange: Change {
    init(person: PersonReference)
}

extension UnlockPerson: PersonChange {}
extension DeactivatePerson: PersonChange {}
extension ReactivatePerson: PersonChange {}
extension SignOutPerson: PersonChange {
    fileprivate init(person: PersonReference) { self.init(person: person, devices: nil) }
}

extension PersonAction {
    fileprivate var change: any PersonChange.Type {
        switch self {
        case .unlock: UnlockPerson.self
        case .signOut: SignOutPerson.self
        case .deactivate: DeactivatePerson.self
        case .reactivate: ReactivatePerson.self
        }
    }
}

extension ConsoleDoor.Visit {
    fileprivate func preview<C: PersonChange>(_: C.Type, of person: PersonReference) async throws -> Preview {
        try await preview(C(person: person))
    }

    /// - Returns: the numbers with which the change is undone: none or one.
    fileprivate func perform<C: PersonChange>(
        _: C.Type, on person: PersonReference, ifVersion version: String?
    ) async throws -> [Int64] {
        try await perform(C(person: person), ifVersion: version).changes
    }

    fileprivate func preview<C: PersonChange>(_: C.Type, of people: [PersonReference]) async throws -> Preview {
        try await preview(Bulk(items: people.map(C.init(person:)), mode: .each))
    }

    fileprivate func performEach<C: PersonChange>(_: C.Type, on people: [PersonReference]) async throws -> [Int64] {
        try await performEach(people.map(C.init(person:)))
    }
}

extension AppContext {
    /// The person in the path, which links write as `PE-` and a number.
    var person: PersonReference {
        get throws { PersonReference(try pathInput("person")) }
    }
}
