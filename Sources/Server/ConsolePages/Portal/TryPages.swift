import Administration
import Authorization
import Foundation
import Ground
import ServerPages

/// What a developer tries with the own app.
package enum Trial: String, Codable, CaseIterable, Sendable {
    case signIn = "sign-in"
    case roster

    /// The scopes that its request can have.
    package var scopes: ScopeSet { self == .signIn ? .compatible : .roster }

    package var authorizationPath: String { self == .signIn ? "/auth/authorize" : "/auth/oauth2/v2/authorize" }
    package var tokenPath: String { self == .signIn ? "/auth/token" : "/auth/oauth2/v2/token" }
    /// What is read with the access token; nil if there is nothing to read.
    package var readPaths: [String] {
        self == .signIn ? [] : ["/rosterapi/v1/users?limit=3", "/rosterapi/v1/classes?limit=1"]
    }

    var label: Sentence { Sentence("portalTry.\(self == .signIn ? "signIn" : "roster")") }
    var explanation: Sentence { Sentence("portalTry.\(self == .signIn ? "signInText" : "rosterText")") }
}

/// A request that a developer tries: what `state` says of it while the browser is at the pages that people see.
package struct TriedRequest: Codable, Equatable, Sendable {
    package let team: String
    package let clientID: String
    package let trial: Trial
    /// A value that makes the request unlike all others. The proof key is derived from it.
    package let nonce: String

    package init(team: String, clientID: String, trial: Trial, nonce: String) {
        self.team = team
        self.clientID = clientID
        self.trial = trial
        self.nonce = nonce
    }

    /// - Parameter state: as ``state`` writes it; nil if it is anything else.
    package init?(state: String) {
        guard let data = Data(base64URLEncoded: state),
            let request = try? JSONDecoder().decode(TriedRequest.self, from: data)
        else { return nil }
        self = request
    }

    package var state: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return ((try? encoder.encode(self)) ?? Data()).base64URLEncoded
    }
}

/// Where a trial begins: what to try, with which identifier.
package struct TryPage: PortalPage {
    package let portal: Portal
    package let app: AppRecord
    /// The address of the portal to which the answer comes.
    package let returnURL: String
    package let failure: OperationFailure?

    package init(portal: Portal, app: AppRecord, returnURL: String, failure: OperationFailure? = nil) {
        self.portal = portal
        self.app = app
        self.returnURL = returnURL
        self.failure = failure
    }

    private var path: String { portal.path(of: app) }
    private var isReady: Bool { app.returnURLs.contains(returnURL) }
    private var trials: [Trial] {
        Trial.allCases.filter { trial in !Set(trial.scopes.scopes.map(\.rawValue)).isDisjoint(with: app.scopes) }
    }

    package var section: PortalSection? { .apps }
    package var heading: Sentence { Sentence("portalTry.heading", ["app": .text(app.name)]) }
    package var lead: Sentence? { Sentence("portalTry.lead") }
    package var parent: ConsoleLink? { ConsoleLink(.named(app.name), to: path) }

    package var parts: [Part] {
        Part.refusals(failure)
            + (isReady
                ? [
                    .form(
                        ConsoleForm(
                            .init("\(path)/try/request", isQuery: true),
                            [
                                ConsoleField(
                                    "trial",
                                    .cards(trials.map { .init($0.rawValue, $0.label, $0.explanation) }),
                                    Sentence("portalTry.what"), value: trials.first?.rawValue ?? ""),
                                ConsoleField(
                                    "client", .choice(app.clientIDs.map { .init($0, .named($0)) }),
                                    Sentence("portalApps.clientID"), value: app.primaryID),
                            ], button: Sentence("portalTry.show"), cancel: .cancel(to: path)))
                ]
                : [
                    .text(Sentence("portalTry.address")), .code(returnURL),
                    .form(
                        ConsoleForm(
                            .init("\(path)/try", [("version", app.version)]), [],
                            button: Sentence("portalTry.addAddress"), cancel: .cancel(to: path))),
                ])
    }

    static let sentences = Trial.allCases.flatMap { [$0.label, $0.explanation] }
}

/// The request of a trial, before it is sent.
package struct TriedRequestPage: PortalPage {
    package let portal: Portal
    package let app: AppRecord
    package let trial: Trial
    /// The address of the server, without a slash at its end.
    package let baseURL: String
    package let parameters: [FormField]

    package init(portal: Portal, app: AppRecord, trial: Trial, baseURL: String, parameters: [FormField]) {
        self.portal = portal
        self.app = app
        self.trial = trial
        self.baseURL = baseURL
        self.parameters = parameters
    }

    private var path: String { portal.path(of: app) }

    package var section: PortalSection? { .apps }
    package var heading: Sentence { Sentence("portalTry.requestHeading") }
    package var lead: Sentence? { Sentence("portalTry.requestLead") }
    package var parent: ConsoleLink? {
        ConsoleLink(Sentence("portalTry.heading", ["app": .text(app.name)]), to: "\(path)/try")
    }
    package var actions: [ConsoleLink] {
        [
            ConsoleLink(
                Sentence("portalTry.send"), to: "\(trial.authorizationPath)?\(FormEncoding.encode(parameters))")
        ]
    }

    package var parts: [Part] {
        [.wire(WireText(first: "GET \(baseURL)\(trial.authorizationPath)", parameters: parameters))]
    }
}

/// What came back: the answer to the request, and what the app's server does with it.
package struct TriedAnswerPage: PortalPage {
    package let portal: Portal
    package let app: AppRecord
    package let tried: TriedRequest
    package let baseURL: String
    package let issuer: String
    package let returnURL: String
    package let parameters: [FormField]
    /// `code_verifier` of the exchange.
    package let verifier: String
    /// The keys of the team that are not revoked.
    package let keys: [KeyRecord]

    package init(
        portal: Portal, app: AppRecord, tried: TriedRequest, baseURL: String, issuer: String, returnURL: String,
        parameters: [FormField], verifier: String, keys: [KeyRecord]
    ) {
        self.portal = portal
        self.app = app
        self.tried = tried
        self.baseURL = baseURL
        self.issuer = issuer
        self.returnURL = returnURL
        self.parameters = parameters
        self.verifier = verifier
        self.keys = keys
    }

    private var path: String { portal.path(of: app) }
    private var code: String? { parameters.first { $0.name == "code" }?.value }

    package var section: PortalSection? { .apps }
    package var heading: Sentence { Sentence("portalTry.answerHeading") }
    package var lead: Sentence? {
        Sentence(code == nil ? "portalTry.refused" : "portalTry.answerLead")
    }
    package var parent: ConsoleLink? {
        ConsoleLink(Sentence("portalTry.heading", ["app": .text(app.name)]), to: "\(path)/try")
    }

    package var parts: [Part] {
        [.wire(WireText(first: returnURL, parameters: parameters))] + exchange
    }

    private var exchange: [Part] {
        guard let code else { return [] }
        let heading = Part.heading(Sentence("portalTry.exchange"), Sentence("portalTry.exchangeLead"))
        guard !keys.isEmpty else {
            return [
                heading,
                .message(
                    .warning, Sentence("portalTry.noKey"),
                    ConsoleLink(Sentence("portalKeys.heading"), to: portal.path(of: .keys))),
            ]
        }
        return [
            heading,
            .exchange(
                Exchange(
                    tokenPath: tried.trial.tokenPath, readPaths: tried.trial.readPaths, baseURL: baseURL,
                    issuer: issuer, teamID: app.teamID, clientID: tried.clientID,
                    parameters: [
                        FormField("grant_type", "authorization_code"), FormField("code", code),
                        FormField("redirect_uri", returnURL), FormField("code_verifier", verifier),
                    ],
                    fields: [
                        ConsoleField(
                            "key", .choice(keys.map { .init($0.keyID, .named("\($0.name) · \($0.keyID)")) }),
                            Sentence("portalTry.key")),
                        ConsoleField(
                            "file", .file(accept: ".p8,.pem"), Sentence("portalTry.file"),
                            hint: Sentence("portalTry.fileHint"), isRequired: true),
                    ])),
        ]
    }
}

/// A request or an answer as it is on the wire: a first line, and a line for each parameter, in which secrets are
/// marked.
package struct WireText: Sendable {
    let first: String
    let parameters: [FormField]

    /// The parameters that the page marks as secret, because with one of them somebody else could go on in the app's
    /// place.
    private static let secrets: Set = ["code", "code_verifier"]

    var content: Content {
        [
            "wireFirst": .text(first),
            "wireLines": .list(
                parameters.map { field in
                    let isSecret = Self.secrets.contains(field.name)
                    return [
                        "wireName": .text(field.name), "wireValue": isSecret ? .absent : .text(field.value),
                        "wireSecret": isSecret ? .text(field.value) : .absent,
                    ]
                }),
        ]
    }
}

/// What the script needs to exchange a code and to read with the token, in the place of the app's server: the private
/// key stays in the browser.
package struct Exchange: Sendable {
    let tokenPath: String
    let readPaths: [String]
    let baseURL: String
    let issuer: String
    let teamID: String
    let clientID: String
    let parameters: [FormField]
    let fields: [ConsoleField]

    var content: Content {
        [
            "tokenPath": .text(tokenPath), "readPaths": .text(readPaths.joined(separator: " ")),
            "exchangeBase": .text(baseURL), "exchangeIssuer": .text(issuer), "exchangeTeam": .text(teamID),
            "exchangeClient": .text(clientID),
            "exchangeForm": .text(FormEncoding.encode(parameters)), "fields": .list(fields.map(\.content)),
        ]
    }
}
