import Administration
import ServerPages

/// The programs that administrate the organization.
package struct APIClientsPage: ConsolePage {
    package let desk: Desk
    package let clients: [APIClientRecord]

    package init(desk: Desk, clients: [APIClientRecord]) {
        self.desk = desk
        self.clients = clients
    }

    package static let path = "\(ConsoleSection.settings.path)/api-clients"

    package var section: ConsoleSection { .settings }
    package var heading: Sentence { Sentence("consoleClients.heading") }
    package var lead: Sentence? { Sentence("consoleClients.lead") }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }
    package var actions: [ConsoleLink] { [ConsoleLink(Sentence("consoleClients.add"), to: "\(Self.path)/add")] }

    package var parts: [Part] {
        [
            .table(
                Table(
                    heading,
                    [
                        .init(Sentence("consoleClients.name")), .init(Sentence("consoleClients.id")),
                        .init(Sentence("consoleClients.privileges")), .init(Sentence("consoleClients.made")),
                        .init(Sentence("consolePeople.state")), .init(Sentence("consoleAccess.action")),
                    ],
                    clients.map { client in
                        Table.Row([
                            .text(client.name), .verbatim(client.clientID), .chips(client.privileges.map(\.word)),
                            .day(client.createdAt),
                            .mark(
                                client.revokedAt == nil ? .success : .danger,
                                Sentence(
                                    client.revokedAt == nil ? "consoleClients.active" : "consoleClients.revoked")),
                            client.revokedAt == nil
                                ? .phrase(
                                    Sentence("consoleClients.revoke"), to: "\(Self.path)/\(client.clientID)/revoke")
                                : .nothing,
                        ])
                    }, empty: Sentence("consoleClients.none"),
                    emptyLink: ConsoleLink(Sentence("consoleClients.add"), to: "\(Self.path)/add")))
        ]
    }
}

/// Asks for the name of a program and what it may do.
package struct AddAPIClientPage: ConsolePage {
    package let desk: Desk
    package let name: String
    package let privileges: [String]
    package let failure: OperationFailure?

    package init(desk: Desk, name: String = "", privileges: [String] = [], failure: OperationFailure? = nil) {
        self.desk = desk
        self.name = name
        self.privileges = privileges
        self.failure = failure
    }

    package static let path = "\(APIClientsPage.path)/add"

    package var section: ConsoleSection { .settings }
    package var heading: Sentence { Sentence("consoleClients.add") }
    package var lead: Sentence? { Sentence("consoleClients.addLead") }
    package var parent: ConsoleLink? { ConsoleLink(Sentence("consoleClients.heading"), to: APIClientsPage.path) }

    package var parts: [Part] {
        Part.refusals(failure) + [
            .form(
                ConsoleForm(
                    .init(Self.path),
                    [
                        ConsoleField(
                            "name", .text, Sentence("consoleClients.name"), value: name,
                            hint: Sentence("consoleClients.nameHint"), isRequired: true),
                        ConsoleField(
                            "privileges",
                            // Nobody can give a program a privilege that they lack themselves.
                            .boxes(
                                desk.usedPrivileges.filter(desk.mayEverywhere).map { .init($0.rawValue, $0.word) }),
                            Sentence("consoleClients.privileges"),
                            values: privileges),
                    ], button: Sentence("consoleClients.add"),
                    cancel: ConsoleLink(Sentence("console.cancel"), to: APIClientsPage.path)))
        ]
    }
}

/// The secret of a program, in the answer to the form alone.
package struct APIClientMadePage: ConsolePage {
    package let desk: Desk
    package let made: AddAPIClient.Answer

    package init(desk: Desk, made: AddAPIClient.Answer) {
        self.desk = desk
        self.made = made
    }

    package var section: ConsoleSection { .settings }
    package var heading: Sentence { Sentence("consoleClients.madeHeading", ["name": .text(made.client.name)]) }
    package var lead: Sentence? { Sentence("consoleClients.madeLead") }
    package var parent: ConsoleLink? { ConsoleLink(Sentence("consoleClients.heading"), to: APIClientsPage.path) }

    package var parts: [Part] {
        [
            .heading(Sentence("consoleClients.id")), .code(made.client.clientID),
            .heading(Sentence("consoleClients.secret")), .code(made.secret),
        ]
    }
}

/// The words of the page on which a program is turned away.
package enum APIClientWords {
    package static let button = Sentence("consoleClients.revoke")
    package static let parent = ConsoleLink(Sentence("consoleClients.heading"), to: APIClientsPage.path)
    package static let consequences = [Sentence("consoleClients.revokeText")]

    package static func heading(_ client: APIClientRecord) -> Sentence {
        Sentence("consoleClients.revokeHeading", ["name": .text(client.name)])
    }
}
