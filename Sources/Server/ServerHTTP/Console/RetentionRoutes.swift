import Administration
import ConsolePages
import Directory
import Hummingbird

/// `/manager/settings/retention` and `/manager/settings/holds`: what goes by itself, and what must not.
struct RetentionRoutes: Sendable {
    let door: ConsoleDoor

    /// How many of the people that are due are counted.
    private static let dueMax = 1_000

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager/settings/retention", use: list)
        for kind in RetentionRule.Kind.allCases {
            router.get("manager/settings/retention/\(kind.rawValue)") { request, context in
                try await showForm(of: kind, request, context)
            }
            router.post("manager/settings/retention/\(kind.rawValue)") { request, context in
                try await set(kind, request, context)
            }
        }
        router.get("manager/settings/holds", use: listHolds)
        router.post("manager/settings/holds", use: addHold)
        router.post("manager/settings/holds/{hold}/end", use: endHold)
    }

    // MARK: Rules

    @Sendable private func list(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .settings) { visit in
            .page(RetentionPage(desk: visit.desk, rules: try await visit.ask(ListRetention()).rules))
        }
    }

    private func showForm(
        of kind: RetentionRule.Kind, _ request: Request, _ context: AppContext
    ) async throws -> Response {
        try await door.open(request, context, in: .settings, confirmsIdentity: kind.isForGood) { visit in
            let rule = try await visit.ask(ListRetention()).rules.first { $0.kind == kind }
            return .page(
                EditRetentionPage(desk: visit.desk, kind: kind, days: rule?.days.map { "\($0)" } ?? ""))
        }
    }

    /// The first time it tells what the rule would do, and sets it when that is confirmed. Nothing brings back what most
    /// rules delete, so that somebody with a borrowed browser must not set such a one.
    private func set(
        _ kind: RetentionRule.Kind, _ request: Request, _ context: AppContext
    ) async throws -> Response {
        let path = RetentionPage.path(of: kind)
        return try await door.submit(
            request, context, in: .settings, from: path, confirmsIdentity: kind.isForGood,
            again: { visit, input, failure in
                EditRetentionPage(desk: visit.desk, kind: kind, days: try input["days"] ?? "", failure: failure)
            }
        ) { visit, input in
            try visit.require(SetRetention.self)
            let days = try input.number("days", called: "number of days")
            let change = SetRetention(kind: kind, days: days)
            guard try !input.isConfirmed else {
                let done = try await visit.perform(change, ifVersion: try input.version)
                return .next(RetentionPage.path, changes: done.changes)
            }
            let preview = try await visit.preview(change)
            var due: ShowDue.Answer?
            if let days { due = try await visit.ask(ShowDue(kind: kind, days: days, limit: Self.dueMax)) }
            return .page(
                ConfirmPage(
                    desk: visit.desk, section: .settings, heading: RetentionWords.heading(kind),
                    parent: RetentionWords.parent, consequences: RetentionWords.consequences(kind, due: due),
                    preview: preview, action: path, inputs: [("days", days.map { "\($0)" } ?? "")],
                    button: RetentionWords.button, isFinal: days != nil && kind.isForGood,
                    warning: days.map { _ in RetentionWords.warning(kind) }))
        }
    }

    // MARK: Holds

    @Sendable private func listHolds(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .settings) { visit in
            .page(HoldsPage(desk: visit.desk, holds: try await visit.ask(ListHolds()).holds))
        }
    }

    @Sendable private func addHold(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(
            request, context, in: .settings, from: HoldsPage.path,
            again: { visit, input, failure in
                HoldsPage(
                    desk: visit.desk, holds: try await visit.ask(ListHolds()).holds,
                    typed: try input.typed(HoldsPage.names), failure: failure)
            }
        ) { visit, input in
            let done = try await visit.perform(
                AddHold(
                    person: try input["person"].map(PersonReference.init), reason: try input["reason"] ?? "",
                    until: try input["until"] ?? ""))
            return .next(HoldsPage.path, changes: done.changes)
        }
    }

    @Sendable private func endHold(_ request: Request, context: AppContext) async throws -> Response {
        let number = try context.pathNumber("hold")
        return try await door.submit(request, context, in: .settings, from: HoldsPage.path) { visit, _ in
            let done = try await visit.perform(EndHold(hold: "\(number)"))
            return .next(HoldsPage.path, changes: done.changes)
        }
    }
}
