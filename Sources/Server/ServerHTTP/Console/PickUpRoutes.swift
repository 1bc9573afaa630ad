import Administration
import ConsolePages
import Directory
import Hummingbird

/// `/manager/imports/pick-ups`: folders whose files are imported once a day.
struct PickUpRoutes: Sendable {
    let door: ConsoleDoor
    let sendsMail: Bool

    private static let path = PickUpsPage.path

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager/imports/pick-ups", use: list)
        router.post("manager/imports/pick-ups", use: set)
        router.get("manager/imports/pick-ups/{pickUp}", use: show)
        router.post("manager/imports/pick-ups/{pickUp}", use: change)
        router.get("manager/imports/pick-ups/{pickUp}/defects.csv", use: download)
        router.post("manager/imports/pick-ups/{pickUp}/read", use: read)
        router.post("manager/imports/pick-ups/{pickUp}/remove", use: remove)
    }

    private func page(
        _ visit: ConsoleDoor.Visit, typed: [String: String] = [:], failure: OperationFailure? = nil
    ) async throws -> PickUpsPage {
        let locations = visit.organization.kind == .school ? try await visit.locations() : .none
        return PickUpsPage(
            desk: visit.desk, found: try await visit.ask(ListPickUps()), locations: locations,
            sendsMail: visit.getsMail(sendsMail), typed: typed, failure: failure)
    }

    @Sendable private func list(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .imports) { .page(try await page($0)) }
    }

    private static func hour(_ input: ConsoleInput) throws -> Int {
        guard let hour = try input["hour"].flatMap({ Int($0) }) else {
            throw OperationError.invalid(field: "hour", reason: "is not between 0 and 23")
        }
        return hour
    }

    @Sendable private func set(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(
            request, context, in: .imports, from: Self.path,
            again: { visit, input, failure in
                try await page(visit, typed: try input.typed(["school", "hour", "key"]), failure: failure)
            }
        ) { visit, input in
            let done = try await visit.perform(
                SetPickUp(
                    school: try input["school"].map(LocationReference.init), hour: try Self.hour(input),
                    key: try input["key"]),
                ifVersion: try input.version)
            return .next("\(Self.path)/\(done.answer.pickUp)", changes: done.changes)
        }
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let number = try context.pathNumber("pickUp")
        return try await door.open(request, context, in: .imports) { visit in
            .page(PickUpPage(desk: visit.desk, shown: try await visit.ask(ShowPickUp(pickUp: number))))
        }
    }

    /// Whose files the folder has stays as it is.
    @Sendable private func change(_ request: Request, context: AppContext) async throws -> Response {
        let number = try context.pathNumber("pickUp")
        let page = "\(Self.path)/\(number)"
        return try await door.submit(
            request, context, in: .imports, from: page,
            again: { visit, input, failure in
                PickUpPage(
                    desk: visit.desk, shown: try await visit.ask(ShowPickUp(pickUp: number)),
                    typed: try input.typed(["hour", "key"]), failure: failure)
            }
        ) { visit, input in
            let school = try await visit.ask(ShowPickUp(pickUp: number)).pickUp.schoolID
            let done = try await visit.perform(
                SetPickUp(
                    school: school.map { LocationReference($0) }, hour: try Self.hour(input), key: try input["key"]),
                ifVersion: try input.version)
            return .next(page, changes: done.changes)
        }
    }

    @Sendable private func download(_ request: Request, context: AppContext) async throws -> Response {
        let number = try context.pathNumber("pickUp")
        return try await door.open(request, context, in: .imports) { visit in
            guard let report = try await visit.ask(ShowPickUp(pickUp: number)).last?.report else {
                throw PageError.notFound
            }
            return .response(.defects(try DefectFile.bytes(report)))
        }
    }

    @Sendable private func read(_ request: Request, context: AppContext) async throws -> Response {
        let number = try context.pathNumber("pickUp")
        return try await door.submit(request, context, in: .imports, from: "\(Self.path)/\(number)") { visit, _ in
            _ = try await visit.perform(ReadPickUp(pickUp: number))
            return .next("\(Self.path)/\(number)", changes: [])
        }
    }

    @Sendable private func remove(_ request: Request, context: AppContext) async throws -> Response {
        let number = try context.pathNumber("pickUp")
        return try await door.submit(request, context, in: .imports, from: "\(Self.path)/\(number)") { visit, _ in
            .next(Self.path, changes: try await visit.perform(RemovePickUp(pickUp: number)).changes)
        }
    }
}
