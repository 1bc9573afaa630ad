import Administration
import Authorization
import ConsolePages
import Directory
import Hummingbird

/// `/manager/locations`.
struct LocationRoutes: Sendable {
    let door: ConsoleDoor

    private static let path = ConsoleSection.locations.path
    /// How many locations a page shows.
    private static let shown = 50

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager/locations", use: list)
        router.post("manager/locations/bulk", use: actOnSeveral)
        router.get("manager/locations/add", use: showAdd)
        router.post("manager/locations/add", use: add)
        router.get("manager/locations/{location}", use: show)
        router.get("manager/locations/{location}/edit", use: showEdit)
        router.post("manager/locations/{location}/edit", use: edit)
        for action in LocationAction.allCases {
            router.get("manager/locations/{location}/\(action.rawValue)") { request, context in
                try await ask(action, request, context)
            }
            router.post("manager/locations/{location}/\(action.rawValue)") { request, context in
                try await act(action, request, context)
            }
        }
    }

    @Sendable private func list(_ request: Request, context: AppContext) async throws -> Response {
        let input = ConsoleInput(try request.queryParameters())
        return try await door.open(request, context, in: .locations) { visit in
            try visit.require(EditLocation.self)
            return .page(try await Self.page(try Self.query(input), isNothingChosen: false, visit))
        }
    }

    @Sendable private func showAdd(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .locations) { visit in
            try visit.require(AddLocation.self)
            return .page(EditLocationPage(desk: visit.desk, location: nil))
        }
    }

    @Sendable private func add(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(
            request, context, in: .locations, from: "\(Self.path)/add",
            again: { visit, input, failure in
                EditLocationPage(
                    desk: visit.desk, location: nil, typed: try input.typed(EditLocationPage.names), failure: failure)
            }
        ) { visit, input in
            let done = try await visit.perform(
                AddLocation(
                    name: try input["name"] ?? "", locationID: try input["locationID"], domain: try input["domain"],
                    timeZone: try input["timeZone"], studentPasswordPolicy: try input.value("studentPasswordPolicy")))
            return .next(LocationPage.path(of: done.answer.number), changes: done.changes)
        }
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let number = try context.pathNumber("location")
        return try await door.open(request, context, in: .locations) { visit in
            .page(
                LocationPage(
                    desk: visit.desk,
                    found: try await visit.ask(
                        ShowLocation(location: LocationReference(LocationID(rawValue: number))))))
        }
    }

    // MARK: Removing and restoring

    private func ask(_ action: LocationAction, _ request: Request, _ context: AppContext) async throws -> Response {
        let number = try context.pathNumber("location")
        let reference = LocationReference(LocationID(rawValue: number))
        return try await door.open(request, context, in: .locations) { visit in
            let found = try await visit.ask(ShowLocation(location: reference))
            if action == .remove, found.location.removedAt == nil, !found.use.isEmpty {
                return .page(LocationInUsePage(desk: visit.desk, found: found))
            }
            let preview = try await visit.preview(action.change, of: found.location.id)
            let (location, path) = (found.location, LocationPage.path(of: number))
            return .page(
                ConfirmPage(
                    desk: visit.desk, section: .locations, heading: action.heading(of: location.name),
                    parent: ConsoleLink(.named(location.name), to: path),
                    consequences: action.consequences(for: location, preview, at: visit.desk), preview: preview,
                    action: "\(path)/\(action.rawValue)", button: action.button))
        }
    }

    private func act(_ action: LocationAction, _ request: Request, _ context: AppContext) async throws -> Response {
        let number = try context.pathNumber("location")
        return try await door.submit(request, context, in: .locations, from: request.routedPath) { visit, input in
            let changes = try await visit.perform(action.change, on: "LO:\(number)", ifVersion: try input.version)
            return .next(LocationPage.path(of: number), changes: changes)
        }
    }

    // MARK: Editing

    @Sendable private func showEdit(_ request: Request, context: AppContext) async throws -> Response {
        let number = try context.pathNumber("location")
        return try await door.open(request, context, in: .locations) { visit in
            try visit.require(EditLocation.self)
            let location = try await visit.location(number)
            // The form would be refused when it is sent, so it is not shown.
            guard visit.desk.mayChange(location) else { throw OperationError.forbidden(EditLocation.privilege) }
            return .page(EditLocationPage(desk: visit.desk, location: location))
        }
    }

    @Sendable private func edit(_ request: Request, context: AppContext) async throws -> Response {
        let number = try context.pathNumber("location")
        return try await door.submit(
            request, context, in: .locations, from: "\(LocationPage.path(of: number))/edit",
            again: { visit, input, failure in
                EditLocationPage(
                    desk: visit.desk, location: try await visit.location(number),
                    typed: try input.typed(EditLocationPage.names), failure: failure)
            }
        ) { visit, input in
            let (domain, timeZone) = (try input["domain"], try input["timeZone"])
            let policy: PasswordPolicy? = try input.value("studentPasswordPolicy")
            let empty: [EditLocation.OptionalField?] = [
                domain == nil ? .domain : nil, timeZone == nil ? .timeZone : nil,
                policy == nil ? .studentPasswordPolicy : nil,
            ]
            let done = try await visit.perform(
                EditLocation(
                    location: LocationReference(LocationID(rawValue: number)), name: try input["name"] ?? "",
                    domain: domain, timeZone: timeZone, studentPasswordPolicy: policy,
                    clear: empty.compactMap(\.self)),
                ifVersion: try input.version)
            return .next(LocationPage.path(of: number), changes: done.changes)
        }
    }
}

extension LocationRoutes: BulkRoutes {
    @Sendable private func actOnSeveral(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(request, context, in: .locations, from: Self.path) { visit, input in
            guard visit.desk.mayRemoveLocations else { throw OperationError.forbidden(RemoveLocation.privilege) }
            return try await Self.bulkAnswer(input, visit)
        }
    }

    static func bulkAct(_ input: ConsoleInput, at desk: Desk) throws -> BulkAct? {
        guard let action: LocationAction = try input.value("action") else { return nil }
        return BulkAct(
            value: action.rawValue, change: action.change, heading: action.heading(of: nil),
            consequences: { action.consequences(for: nil, $0, at: desk) }, button: action.button)
    }

    static func query(_ input: ConsoleInput) throws -> LocationsPage.Query {
        .init(
            text: try input["text"], isRemoved: try input["state"] == "removed",
            after: try input["after"].flatMap { Int64($0) })
    }

    static func page(
        _ query: LocationsPage.Query, isNothingChosen: Bool, _ visit: ConsoleDoor.Visit
    ) async throws -> any DeskPage {
        LocationsPage(
            desk: visit.desk, query: query, found: try await visit.ask(list(query, limit: shown)),
            isNothingChosen: isNothingChosen)
    }

    static func choices(
        _ query: LocationsPage.Query, limit: Int, _ visit: ConsoleDoor.Visit
    ) async throws -> [String] {
        try await visit.ask(list(query, limit: limit)).locations.map(\.id)
    }

    private static func list(_ query: LocationsPage.Query, limit: Int) -> ListLocations {
        ListLocations(removed: query.isRemoved, text: query.text, after: query.after, limit: limit)
    }
}

// MARK: Operations

/// A change that names nothing but a location.
protocol LocationChange: SubjectChange {
    init(location: LocationReference)
}

extension LocationChange {
    init(of reference: String) { self.init(location: LocationReference(reference)) }
}

extension RemoveLocation: LocationChange {}
extension RestoreLocation: LocationChange {}

extension LocationAction {
    fileprivate var change: any SubjectChange.Type {
        switch self {
        case .remove: RemoveLocation.self
        case .restore: RestoreLocation.self
        }
    }
}

extension ConsoleDoor.Visit {
    /// - Throws: ``OperationError/notFound(_:_:in:)``
    fileprivate func location(_ number: Int64) async throws -> LocationRecord {
        let found = try await ask(ListLocations(after: number - 1, limit: 1)).locations.first
        guard let found, found.number == number else {
            throw OperationError.notFound(.location, "LO:\(number)", in: organization.name)
        }
        return found
    }
}
