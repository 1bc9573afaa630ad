import Administration
import Authorization
import ServerPages

/// How a client authenticates at the standard endpoints, and how its identity tokens are signed there.
package struct ClientPage: PortalPage {
    package let portal: Portal
    package let app: AppRecord
    package let client: ClientRecord

    package init(portal: Portal, app: AppRecord, client: ClientRecord) {
        self.portal = portal
        self.app = app
        self.client = client
    }

    private var path: String { portal.path(of: app) }

    package var section: PortalSection? { .apps }
    package var heading: Sentence { Sentence("portalClient.heading", ["client": .text(client.clientID)]) }
    package var lead: Sentence? { Sentence("portalClient.lead") }
    package var parent: ConsoleLink? { ConsoleLink(.named(app.name), to: path) }
    package var parts: [Part] {
        [
            .form(
                ConsoleForm(
                    .init("\(path)/clients/\(client.clientID)", [("version", app.version)]),
                    [
                        ConsoleField(
                            "authentication",
                            .cards(
                                Client.Authentication.allCases.map { .init($0.rawValue, $0.words, $0.explanation) }),
                            Sentence("portalApp.authentication"), value: client.authentication.rawValue),
                        ConsoleField(
                            "signingAlgorithm",
                            .choice(SigningAlgorithm.allCases.map { .init($0.rawValue, .named($0.rawValue)) }),
                            Sentence("portalClient.signingAlgorithm"), value: client.signingAlgorithm.rawValue,
                            hint: Sentence("portalClient.signingAlgorithmHint")),
                    ], button: Sentence("console.save"), cancel: .cancel(to: path)))
        ]
    }

    static let sentences = Client.Authentication.allCases.map(\.explanation)
}

extension Client.Authentication {
    var explanation: Sentence { Sentence("portalClient.\(rawValue)") }
}
