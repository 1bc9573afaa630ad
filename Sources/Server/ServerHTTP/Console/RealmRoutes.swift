import Administration
import ConsolePages
import Directory
import Hummingbird

/// `/manager/settings/realms`: the realms of Kerberos whose tickets sign people in.
struct RealmRoutes: Sendable {
    let door: ConsoleDoor

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager/settings/realms", use: list)
        router.post("manager/settings/realms", use: set)
        router.get("manager/settings/realms/{realm}/remove", use: askToRemove)
        router.post("manager/settings/realms/{realm}/remove", use: remove)
    }

    @Sendable private func list(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .settings) { visit in
            .page(RealmsPage(desk: visit.desk, answer: try await visit.ask(ListRealms())))
        }
    }

    /// The first time it tells how many people the rule would sign in, and sets it when that is confirmed.
    @Sendable private func set(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(
            request, context, in: .settings, from: RealmsPage.path,
            again: { visit, input, failure in
                RealmsPage(
                    desk: visit.desk, answer: try await visit.ask(ListRealms()),
                    typed: try input.typed(RealmsPage.names), failure: failure)
            }
        ) { visit, input in
            let realm = try input["realm"] ?? ""
            guard let matching = try KerberosRealm.Matching(rawValue: input["matching"] ?? "") else {
                throw OperationError.invalid(field: "matching", reason: "is none of those that can be chosen")
            }
            let domain = try input["domain"].flatMap { $0.isEmpty ? nil : $0 }
            let change = SetRealm(realm: realm, matching: matching, domain: domain)
            guard try !input.isConfirmed else {
                let done = try await visit.perform(change, ifVersion: try input.version)
                return .next(RealmsPage.path, changes: done.changes)
            }
            let preview = try await visit.preview(change)
            let reach = try await visit.ask(ShowRealmReach(matching: matching, domain: domain))
            return .page(
                ConfirmPage(
                    desk: visit.desk, section: .settings, heading: RealmWords.heading(realm),
                    parent: RealmWords.parent,
                    consequences: RealmWords.consequences(matching, domain: domain, reach), preview: preview,
                    action: RealmsPage.path,
                    inputs: [("realm", realm), ("matching", matching.rawValue), ("domain", domain ?? "")],
                    button: RealmWords.button))
        }
    }

    @Sendable private func askToRemove(_ request: Request, context: AppContext) async throws -> Response {
        let realm = try context.pathInput("realm")
        return try await door.open(request, context, in: .settings) { visit in
            .page(
                ConfirmPage(
                    desk: visit.desk, section: .settings, heading: RealmWords.removeHeading(realm),
                    parent: RealmWords.parent, consequences: RealmWords.removeConsequences,
                    preview: try await visit.preview(RemoveRealm(realm: realm)),
                    action: RealmsPage.removePath(of: realm), button: RealmWords.removeButton))
        }
    }

    @Sendable private func remove(_ request: Request, context: AppContext) async throws -> Response {
        let realm = try context.pathInput("realm")
        return try await door.submit(request, context, in: .settings, from: RealmsPage.removePath(of: realm)) {
            visit, input in
            let done = try await visit.perform(RemoveRealm(realm: realm), ifVersion: try input.version)
            return .next(RealmsPage.path, changes: done.changes)
        }
    }
}
