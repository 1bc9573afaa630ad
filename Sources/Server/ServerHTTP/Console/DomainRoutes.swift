import Administration
import ConsolePages
import Directory
import Hummingbird

/// `/manager/settings/domains`.
struct DomainRoutes: Sendable {
    let door: ConsoleDoor

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager/settings/domains", use: list)
        router.post("manager/settings/domains", use: add)
        router.get("manager/settings/domains/{domain}", use: show)
        router.post("manager/settings/domains/{domain}/prove", use: prove)
        router.get("manager/settings/domains/{domain}/remove", use: askToRemove)
        router.post("manager/settings/domains/{domain}/remove", use: remove)
    }

    @Sendable private func list(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .settings) { visit in
            .page(DomainsPage(desk: visit.desk, domains: try await visit.ask(ListDomains()).domains))
        }
    }

    @Sendable private func add(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(
            request, context, in: .settings, from: DomainsPage.path,
            again: { visit, input, failure in
                DomainsPage(
                    desk: visit.desk, domains: try await visit.ask(ListDomains()).domains,
                    typed: try input["domain"] ?? "", failure: failure)
            }
        ) { visit, input in
            let done = try await visit.perform(AddDomain(domain: try input["domain"] ?? ""))
            return .next(DomainsPage.path(of: done.answer.name), changes: done.changes)
        }
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let name = try context.pathInput("domain")
        return try await door.open(request, context, in: .settings) { visit in
            .page(DomainPage(desk: visit.desk, domain: try await visit.domain(name)))
        }
    }

    @Sendable private func prove(_ request: Request, context: AppContext) async throws -> Response {
        let name = try context.pathInput("domain")
        return try await door.submit(
            request, context, in: .settings, from: DomainsPage.path(of: name),
            again: { visit, _, failure in
                DomainPage(desk: visit.desk, domain: try await visit.domain(name), failure: failure)
            }
        ) { visit, _ in
            let done = try await visit.perform(ProveDomain(domain: name))
            return .next(DomainsPage.path(of: name), changes: done.changes)
        }
    }

    // MARK: Removing

    @Sendable private func askToRemove(_ request: Request, context: AppContext) async throws -> Response {
        let name = try context.pathInput("domain")
        return try await door.open(request, context, in: .settings) { visit in
            let domain = try await visit.domain(name)
            return .page(
                ConfirmPage(
                    desk: visit.desk, section: .settings, heading: DomainWords.heading(name),
                    parent: DomainWords.parent, consequences: DomainWords.consequences(domain),
                    preview: try await visit.preview(RemoveDomain(domain: name)),
                    action: "\(DomainsPage.path(of: name))/remove", button: DomainWords.button))
        }
    }

    @Sendable private func remove(_ request: Request, context: AppContext) async throws -> Response {
        let name = try context.pathInput("domain")
        return try await door.submit(
            request, context, in: .settings, from: "\(DomainsPage.path(of: name))/remove"
        ) { visit, input in
            let done = try await visit.perform(RemoveDomain(domain: name), ifVersion: try input.version)
            return .next(DomainsPage.path, changes: done.changes)
        }
    }
}

extension ConsoleDoor.Visit {
    /// - Throws: ``OperationError/notFound(_:_:in:)``
    fileprivate func domain(_ name: String) async throws -> DomainRecord {
        guard let found = try await ask(ListDomains()).domains.first(where: { $0.name == name }) else {
            throw OperationError.notFound(.domain, name, in: organization.name)
        }
        return found
    }
}
