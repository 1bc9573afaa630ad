import Administration
import Authorization
import ConsolePages
import Directory
import Foundation
import Ground
import Hummingbird

/// `/manager/people/add`, and what changes a person's record besides its fields: user name, roles, merging.
struct PersonRecordRoutes: Sendable {
    let door: ConsoleDoor

    private static let path = PeopleRoutes.path

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager/people/add", use: showAdd)
        router.post("manager/people/add", use: add)
        router.get("manager/people/{person}/rename", use: showRename)
        router.post("manager/people/{person}/rename", use: rename)
        router.get("manager/people/{person}/roles", use: showRoles)
        router.post("manager/people/{person}/roles", use: addRole)
        router.post("manager/people/{person}/roles/remove", use: removeRole)
        router.get("manager/people/{person}/merge", use: showMerge)
        router.post("manager/people/{person}/merge", use: merge)
    }

    // MARK: Adding somebody

    @Sendable private func showAdd(_ request: Request, context: AppContext) async throws -> Response {
        let input = ConsoleInput(try request.queryParameters())
        return try await door.open(request, context, in: .people) { visit in
            try visit.require(AddPerson.self)
            return .page(
                AddPersonPage(
                    desk: visit.desk, locations: try await visit.locations(), typed: try input.typed(["role"])))
        }
    }

    @Sendable private func add(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(
            request, context, in: .people, from: AddPersonPage.path,
            again: { visit, input, failure in
                AddPersonPage(
                    desk: visit.desk, locations: try await visit.locations(),
                    typed: try input.typed(AddPersonPage.names), failure: failure)
            }
        ) { visit, input in
            let done = try await visit.perform(
                AddPerson(
                    firstName: try input["firstName"] ?? "", middleName: try input["middleName"],
                    lastName: try input["lastName"] ?? "", userName: try input["userName"],
                    email: try input["email"], grade: try input["grade"], personID: try input["personID"],
                    role: try input.value("role"), at: try input["at"].map(LocationReference.init)))
            return .next("\(Self.path)/PE-\(done.answer.number)", changes: done.changes)
        }
    }

    // MARK: The user name

    @Sendable private func showRename(_ request: Request, context: AppContext) async throws -> Response {
        let reference = try context.person
        return try await door.open(request, context, in: .people) { visit in
            try visit.require(RenamePerson.self)
            return .page(RenamePersonPage(desk: visit.desk, person: try await visit.ask(ShowPerson(person: reference))))
        }
    }

    @Sendable private func rename(_ request: Request, context: AppContext) async throws -> Response {
        let reference = try context.person
        return try await door.submit(
            request, context, in: .people, from: request.routedPath,
            again: { visit, input, failure in
                RenamePersonPage(
                    desk: visit.desk, person: try await visit.ask(ShowPerson(person: reference)),
                    typed: try input.typed(["userName", "keepDays"]), failure: failure)
            }
        ) { visit, input in
            let done = try await visit.perform(
                RenamePerson(
                    person: reference, userName: try input["userName"] ?? "",
                    keepDays: try input.number("keepDays", called: "number of days")),
                ifVersion: try input.version)
            return .next("\(Self.path)/PE-\(done.answer.number)", changes: done.changes)
        }
    }

    // MARK: Roles

    @Sendable private func showRoles(_ request: Request, context: AppContext) async throws -> Response {
        let reference = try context.person
        return try await door.open(request, context, in: .people) { visit in
            try visit.require(AddRole.self)
            return .page(
                PersonRolesPage(
                    desk: visit.desk, person: try await visit.ask(ShowPerson(person: reference)),
                    isOnlyAdministrator: try await visit.administrator.isOnlyAdministrator(reference, in: visit.place),
                    locations: try await visit.locations(), now: door.services.surroundings.now()))
        }
    }

    @Sendable private func addRole(_ request: Request, context: AppContext) async throws -> Response {
        let reference = try context.person
        return try await door.submit(
            request, context, in: .people, from: request.routedPath,
            again: { visit, input, failure in
                PersonRolesPage(
                    desk: visit.desk, person: try await visit.ask(ShowPerson(person: reference)),
                    isOnlyAdministrator: try await visit.administrator.isOnlyAdministrator(reference, in: visit.place),
                    locations: try await visit.locations(), typed: try input.typed(["role", "at", "from", "until"]),
                    failure: failure, now: door.services.surroundings.now())
            }
        ) { visit, input in
            let done = try await visit.perform(
                AddRole(
                    person: reference, role: try input.required("role"),
                    at: try input["at"].map(LocationReference.init), from: try input["from"],
                    until: try input["until"]),
                ifVersion: try input.version)
            return .next("\(Self.path)/PE-\(done.answer.number)/roles", changes: done.changes)
        }
    }

    @Sendable private func removeRole(_ request: Request, context: AppContext) async throws -> Response {
        let reference = try context.person
        return try await door.submit(
            request, context, in: .people, from: "\(Self.path)/\(try context.pathInput("person"))/roles"
        ) { visit, input in
            let done = try await visit.perform(
                RemoveRole(
                    person: reference, role: try input.required("role"),
                    at: try input["at"].map(LocationReference.init)),
                ifVersion: try input.version)
            return .next("\(Self.path)/PE-\(done.answer.number)/roles", changes: done.changes)
        }
    }

    // MARK: Merging

    /// First the search for the other record, then what follows from merging it.
    @Sendable private func showMerge(_ request: Request, context: AppContext) async throws -> Response {
        let reference = try context.person
        let input = ConsoleInput(try request.queryParameters())
        return try await door.open(request, context, in: .people) { visit in
            try visit.require(MergePeople.self)
            let person = try await visit.ask(ShowPerson(person: reference))
            if let other = try input["other"] {
                return .page(try await confirmation(of: person, other, visit))
            }
            let text = try input["text"]
            let found = try await text.asyncMap { text in
                try await visit.ask(ListPeople(text: text, limit: 20)).people.filter { $0.number != person.number }
            }
            return .page(MergePersonPage(desk: visit.desk, person: person, text: text, found: found))
        }
    }

    private func confirmation(
        of person: PersonRecord, _ other: String, _ visit: ConsoleDoor.Visit
    ) async throws -> ConfirmPage {
        let path = "\(Self.path)/PE-\(person.number)"
        let given = try await visit.ask(ShowPerson(person: PersonReference(other)))
        let change = MergePeople(person: PersonReference("PE-\(person.number)"), other: PersonReference(other))
        return ConfirmPage(
            desk: visit.desk, section: .people, heading: MergeWords.heading(person, given),
            parent: ConsoleLink(.named(person.fullName), to: path),
            consequences: MergeWords.consequences(person, given),
            preview: try await visit.preview(change), action: "\(path)/merge", inputs: [("other", other)],
            button: MergeWords.button)
    }

    @Sendable private func merge(_ request: Request, context: AppContext) async throws -> Response {
        let reference = try context.person
        return try await door.submit(request, context, in: .people, from: request.routedPath) { visit, input in
            guard let other = try input["other"] else { throw PageError.notFound }
            let done = try await visit.perform(
                MergePeople(person: reference, other: PersonReference(other)), ifVersion: try input.version)
            return .next("\(Self.path)/PE-\(done.answer.person.number)", changes: done.changes)
        }
    }
}

extension ConsoleDoor.Visit {
    /// Refuses a page whose form the person may nowhere send. Whether they may send it here is for the operation to say.
    /// - Throws: ``OperationError/forbidden(_:)``
    func require<O: Administration.Operation>(_: O.Type) throws {
        guard desk.may(O.privilege) else { throw OperationError.forbidden(O.privilege) }
    }

    /// The locations of which one can be chosen.
    func locations() async throws -> LocationChoices {
        guard desk.may(ListLocations.privilege) else { return .none }
        return LocationChoices(try await ask(ListLocations(limit: LocationChoices.listedMax + 1)).locations)
    }
}

extension Optional where Wrapped: Sendable {
    /// `map`, for what takes its time.
    fileprivate func asyncMap<Value>(_ body: (Wrapped) async throws -> Value) async rethrows -> Value? {
        guard let self else { return nil }
        return try await body(self)
    }
}
