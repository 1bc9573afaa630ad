import Administration
import Authorization
import ConsolePages
import Directory
import Foundation
import Ground
import Hummingbird

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
            .page(try await Self.page(try Self.query(input), isNothingChosen: false, visit))
        }
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
                    isOnlyAdministrator: try await visit.administrator.isOnlyAdministrator(reference, in: visit.place),
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
        let reference = try context.pathInput("person")
        return try await door.open(request, context, in: .people) { visit in
            let person = try await visit.ask(ShowPerson(person: PersonReference(reference)))
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
        let reference = try context.pathInput("person")
        return try await door.submit(request, context, in: .people, from: request.routedPath) { visit, input in
            let changes = try await visit.perform(
                action.change, on: reference, ifVersion: try input.version)
            return .next("\(Self.path)/\(try context.parameters.require("person"))", changes: changes)
        }
    }
}

extension PeopleRoutes: BulkRoutes {
    @Sendable private func actOnSeveral(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(request, context, in: .people, from: Self.path) { visit, input in
            try await Self.bulkAnswer(input, visit)
        }
    }

    static func bulkAct(_ input: ConsoleInput, at _: Desk) throws -> BulkAct? {
        guard let action: PersonAction = try input.value("action") else { return nil }
        return BulkAct(
            value: action.rawValue, change: action.change, heading: action.heading(of: nil),
            consequences: { _ in action.consequences }, button: action.button)
    }

    static func query(_ input: ConsoleInput) throws -> PeoplePage.Query {
        .init(
            text: try input["text"], role: try input.value("role"), state: try input.value("state"),
            location: try input["at"], class: try input["class"], after: try input["after"].flatMap { Int64($0) })
    }

    static func page(
        _ query: PeoplePage.Query, isNothingChosen: Bool, _ visit: ConsoleDoor.Visit
    ) async throws -> any DeskPage {
        PeoplePage(
            desk: visit.desk, query: query, found: try await visit.ask(list(query, limit: shown)),
            locations: try await visit.locations(), isNobodyChosen: isNothingChosen)
    }

    static func choices(
        _ query: PeoplePage.Query, limit: Int, _ visit: ConsoleDoor.Visit
    ) async throws -> [String] {
        try await visit.ask(list(query, limit: limit)).people.map { "PE-\($0.number)" }
    }

    private static func list(_ query: PeoplePage.Query, limit: Int) -> ListPeople {
        ListPeople(
            role: query.role, at: query.location.map(LocationReference.init),
            class: query.rosterClass.map(ClassReference.init), state: query.state, text: query.text,
            after: query.after, limit: limit)
    }
}

// MARK: Operations

/// A change that names nothing but a person.
protocol PersonChange: SubjectChange {
    init(person: PersonReference)
}

extension PersonChange {
    init(of reference: String) { self.init(person: PersonReference(reference)) }
}

extension UnlockPerson: PersonChange {}
extension DeactivatePerson: PersonChange {}
extension ReactivatePerson: PersonChange {}
extension SignOutPerson: PersonChange {
    init(person: PersonReference) { self.init(person: person, devices: nil) }
}

extension PersonAction {
    fileprivate var change: any SubjectChange.Type {
        switch self {
        case .unlock: UnlockPerson.self
        case .signOut: SignOutPerson.self
        case .deactivate: DeactivatePerson.self
        case .reactivate: ReactivatePerson.self
        }
    }
}

extension AppContext {
    /// The person in the path, which links write as `PE-` and a number.
    var person: PersonReference {
        get throws { PersonReference(try pathInput("person")) }
    }
}
