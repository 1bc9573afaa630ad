import Administration
import Foundation
import ServerPages

/// The sandbox of a team: a school in which its developers try their apps.
package struct SandboxPage: PortalPage {
    package let portal: Portal
    /// Nil if the team has none.
    package let sandbox: SandboxRecord?
    package let failure: OperationFailure?

    package init(portal: Portal, sandbox: SandboxRecord?, failure: OperationFailure? = nil) {
        self.portal = portal
        self.sandbox = sandbox
        self.failure = failure
    }

    private var path: String { portal.path(of: .sandbox) }

    package var section: PortalSection? { .sandbox }
    package var heading: Sentence { Sentence("portalSandbox.heading") }
    package var lead: Sentence? { Sentence("portalSandbox.lead") }
    package var parts: [Part] {
        guard let sandbox else {
            return Part.refusals(failure) + [
                .points(["people", "apps", "mail"].map { Sentence("portalSandbox.\($0)Point") }),
                .form(ConsoleForm(.init(path), [], button: Sentence("portalSandbox.create"))),
            ]
        }
        return Part.refusals(failure) + [
            .facts([
                Fact(Sentence("portalSandbox.name"), .text(sandbox.name)),
                Fact(Sentence("portalSandbox.id"), .verbatim(sandbox.id)),
                Fact(
                    Sentence("portalSandbox.administrator"),
                    sandbox.administrators.first.map(Cell.address) ?? .nothing),
                Fact(Sentence("portalSandbox.userNames"), .verbatim("@\(sandbox.domain)")),
                Fact(Sentence("portalSandbox.people"), .count(sandbox.people)),
                Fact(Sentence("portalSandbox.classes"), .count(sandbox.classes)),
                Fact(Sentence("portalSandbox.since"), .day(sandbox.createdAt)),
            ]),
            .heading(Sentence("portalSandbox.use"), Sentence("portalSandbox.useLead")),
            .points(["signIn", "passwords", "allow", "change"].map { Sentence("portalSandbox.\($0)Step") }),
            .form(
                ConsoleForm(.init("\(path)/password"), [], button: Sentence("portalSandbox.password"), isLine: true)),
            .heading(Sentence("portalSandbox.remove"), Sentence("portalSandbox.removeLead")),
            .links([ConsoleLink(Sentence("portalSandbox.remove"), to: "\(path)/remove")]),
        ]
    }

    static let sentences =
        ["people", "apps", "mail"].map { Sentence("portalSandbox.\($0)Point") }
        + ["signIn", "passwords", "allow", "change"].map { Sentence("portalSandbox.\($0)Step") }
}

/// The password of the administrator of a sandbox, shown this once.
package struct SandboxOpenedPage: PortalPage {
    package let portal: Portal
    package let opened: OpenedSandbox
    /// The address of the server, as people are to type it.
    package let address: String

    package init(portal: Portal, opened: OpenedSandbox, address: String) {
        self.portal = portal
        self.opened = opened
        self.address = address
    }

    package var section: PortalSection? { .sandbox }
    package var heading: Sentence { Sentence("portalSandbox.opened") }
    package var lead: Sentence? { Sentence("portalSandbox.openedLead") }
    package var parent: ConsoleLink? {
        ConsoleLink(Sentence("portalSandbox.heading"), to: portal.path(of: .sandbox))
    }
    package var parts: [Part] {
        [
            .slip(
                Slip(
                    house: Badge(name: opened.sandbox.name, id: opened.sandbox.id), name: opened.name,
                    userName: opened.userName, password: opened.password, address: address,
                    validUntil: opened.validUntil))
        ]
    }
}
