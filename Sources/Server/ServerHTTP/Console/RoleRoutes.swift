import Administration
import ConsolePages
import Directory
import Hummingbird

/// `/manager/settings/roles`: what each role may do.
struct RoleRoutes: Sendable {
    let door: ConsoleDoor

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager/settings/roles", use: list)
        router.get("manager/settings/roles/{role}", use: showForm)
        router.post("manager/settings/roles/{role}", use: set)
    }

    @Sendable private func list(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .settings) { visit in
            .page(RolesPage(desk: visit.desk, roles: try await visit.ask(ListRoles()).roles))
        }
    }

    @Sendable private func showForm(_ request: Request, context: AppContext) async throws -> Response {
        let role = try Self.role(in: context)
        return try await door.open(request, context, in: .settings) { visit in
            .page(
                EditRolePage(desk: visit.desk, record: try Self.record(of: role, in: try await visit.ask(ListRoles()))))
        }
    }

    /// The first time it tells what the change means, and makes it when that is confirmed.
    @Sendable private func set(_ request: Request, context: AppContext) async throws -> Response {
        let role = try Self.role(in: context)
        return try await door.submit(
            request, context, in: .settings, from: EditRolePage.path(of: role),
            again: { visit, input, failure in
                EditRolePage(
                    desk: visit.desk, record: try Self.record(of: role, in: try await visit.ask(ListRoles())),
                    chosen: input.all("privileges"),
                    failure: failure)
            }
        ) { visit, input in
            let roles = try await visit.ask(ListRoles())
            let record = try Self.record(of: role, in: roles)
            // What the form has offered is given or taken, and nothing that has come up since.
            let (offered, chosen) = (Set(input.all("offered")), Set(input.all("privileges")))
            let choices = record.choices.filter { offered.contains($0.rawValue) }
            let change = SetRole(
                role: role,
                give: choices.filter { chosen.contains($0.rawValue) && !record.privileges.contains($0) },
                take: choices.filter { !chosen.contains($0.rawValue) && record.privileges.contains($0) })
            guard change.give != [] || change.take != [] else { return .next(RolesPage.path, changes: []) }
            guard try !input.isConfirmed else {
                let done = try await visit.perform(change, ifVersion: try input.version)
                return .next(RolesPage.path, changes: done.changes)
            }
            let preview = try await visit.preview(change, ifVersion: try input.version)
            return .page(
                ConfirmPage(
                    desk: visit.desk, section: .settings, heading: RoleWords.heading(role), parent: EditRolePage.parent,
                    consequences: RoleWords.consequences(of: change, for: record, among: roles), preview: preview,
                    action: EditRolePage.path(of: role),
                    inputs: choices.map { ("offered", $0.rawValue) } + chosen.sorted().map { ("privileges", $0) },
                    button: RoleWords.button, warning: RoleWords.warning(on: change)))
        }
    }

    private static func role(in context: AppContext) throws -> Role {
        guard let role = Role(rawValue: try context.parameters.require("role")) else { throw PageError.notFound }
        return role
    }

    /// - Throws: ``PageError/notFound`` for a role that the organization does not have, or about which the person has nothing
    ///   to decide.
    private static func record(of role: Role, in answer: ListRoles.Answer) throws -> RoleRecord {
        guard let record = answer.roles.first(where: { $0.role == role }), !record.choices.isEmpty else {
            throw PageError.notFound
        }
        return record
    }
}
