import Administration
import Authorization
import ConsolePages
import Directory
import Hummingbird

/// `/manager/locations`.
struct LocationRoutes: Sendable {
    let door: ConsoleDoor

    private static let path = ConsoleSection.locations.path

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager/locations", use: list)
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
            let (text, after) = (try input["text"], try input["after"].flatMap { Int64($0) })
            let isRemoved = try input["state"] == "removed"
            let found = try await visit.ask(ListLocations(removed: isRemoved, text: text, after: after, limit: 50))
            return .page(
                LocationsPage(desk: visit.desk, text: text, isRemoved: isRemoved, found: found, after: after))
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
            let preview =
                switch action {
                case .remove: try await visit.preview(RemoveLocation(location: reference))
                case .restore: try await visit.preview(RestoreLocation(location: reference))
                }
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
        let reference = LocationReference(LocationID(rawValue: number))
        return try await door.submit(request, context, in: .locations, from: request.routedPath) { visit, input in
            let version = try input.version
            let changes =
                switch action {
                case .remove:
                    try await visit.perform(RemoveLocation(location: reference), ifVersion: version).changes
                case .restore:
                    try await visit.perform(RestoreLocation(location: reference), ifVersion: version).changes
                }
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
