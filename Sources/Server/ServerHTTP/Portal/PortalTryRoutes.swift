import Administration
import Authorization
import ConsolePages
import Crypto
import Foundation
import Ground
import Hummingbird
import ServerPages

/// `/developer/teams/…/apps/…/try` and `/developer/return`: a sign-in or a consent, played as the own app would, with each
/// request and answer on a page.
///
/// The portal stands in the place of the app's server: the answer comes to an address of the portal, which the app has among
/// its return URLs for that. What comes then, the exchange of the code, is done by the browser, because only the developer has
/// the key.
struct PortalTryRoutes: Sendable {
    let door: PortalDoor
    let baseURL: String
    /// The `aud` of client secrets.
    let issuer: String
    let surroundings: Surroundings

    private static let returnPath = "/developer/return"
    private var returnURL: String { baseURL + Self.returnPath }

    func mount(on router: some RouterMethods<AppContext>) {
        let app: RouterPath = "developer/teams/{team}/apps/{app}"
        router.get("\(app)/try", use: show)
        router.post("\(app)/try", use: addAddress)
        router.get("\(app)/try/request", use: showRequest)
        router.get("developer/return", use: showAnswer)
        router.post("developer/return", use: AuthorizationRequests.asGet)
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let app = try context.app
        return try await door.open(request, context) { visit in
            .page(
                TryPage(portal: visit.portal, app: try await visit.ask(ShowApp(app: app)), returnURL: returnURL))
        }
    }

    @Sendable private func addAddress(_ request: Request, context: AppContext) async throws -> Response {
        let app = try context.app
        return try await door.submit(
            request, context,
            again: { visit, _, failure in
                TryPage(
                    portal: visit.portal, app: try await visit.ask(ShowApp(app: app)), returnURL: returnURL,
                    failure: failure)
            }
        ) { visit, input in
            var change = SetApp(app: app)
            change.addReturnURLs = [returnURL]
            let done = try await visit.perform(change, ifVersion: try input.version)
            return .next(request.routedPath, changes: done.changes)
        }
    }

    @Sendable private func showRequest(_ request: Request, context: AppContext) async throws -> Response {
        let app = try context.app
        let input = ConsoleInput(try request.queryParameters())
        return try await door.open(request, context) { visit in
            let record = try await visit.ask(ShowApp(app: app))
            guard let trial = try input.value("trial", as: Trial.self),
                let client = record.clientIDs.first(where: { $0 == (try? input["client"]) }),
                let team = visit.portal.team
            else { throw PageError.notFound }
            let tried = TriedRequest(
                team: team.id, clientID: client, trial: trial, nonce: Secret(from: surroundings).text)
            return .page(
                TriedRequestPage(
                    portal: visit.portal, app: record, trial: trial, baseURL: baseURL,
                    parameters: parameters(of: tried, for: record, in: visit)))
        }
    }

    private func parameters(of tried: TriedRequest, for app: AppRecord, in visit: PortalDoor.Visit) -> [FormField] {
        let registered = tried.trial.scopes.scopes.filter { app.scopes.contains($0.rawValue) }
        // The server takes the scope of the test school only by itself, and whoever has it needs nobody's leave.
        let scopes = registered.contains(.testRead) ? [.testRead] : registered
        let challenge = Data(SHA256.hash(data: Data(visit.verifier(for: tried.nonce).utf8))).base64URLEncoded
        var parameters = [
            FormField("response_type", "code"), FormField("client_id", tried.clientID),
            FormField("redirect_uri", returnURL), FormField("scope", scopes.map(\.rawValue).joined(separator: " ")),
            FormField("state", tried.state), FormField("code_challenge", challenge),
            FormField("code_challenge_method", "S256"),
        ]
        if tried.trial == .signIn {
            // The server gives a name or an e-mail address to no other kind of answer.
            parameters.append(FormField("response_mode", "form_post"))
            parameters.append(FormField("nonce", tried.nonce))
        }
        return parameters
    }

    @Sendable private func showAnswer(_ request: Request, context: AppContext) async throws -> Response {
        let parameters = try request.queryParameters()
        guard let tried = try parameters["state"].flatMap(TriedRequest.init(state:)) else { throw PageError.notFound }
        return try await door.open(request, context, ofTeam: tried.team) { visit in
            let record = try await visit.ask(ShowApp(app: AppReference(tried.clientID)))
            let keys = try await visit.ask(ListKeys(team: visit.team)).keys.filter { $0.revokedAt == nil }
            let names = ["code", "state", "user", "iss", "error", "error_description"]
            return .page(
                TriedAnswerPage(
                    portal: visit.portal, app: record, tried: tried, baseURL: baseURL, issuer: issuer,
                    returnURL: returnURL,
                    parameters: try names.compactMap { name in try parameters[name].map { FormField(name, $0) } },
                    verifier: visit.verifier(for: tried.nonce), keys: keys))
        }
    }
}

extension PortalDoor.Visit {
    /// The proof key of a trial. Another browser, which somebody may have led to the answer, has another one.
    fileprivate func verifier(for nonce: String) -> String {
        Data(SHA256.hash(data: Data("trial \(browserSecret) \(nonce)".utf8))).base64URLEncoded
    }
}
