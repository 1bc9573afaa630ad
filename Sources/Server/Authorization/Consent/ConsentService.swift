import Directory
import Foundation
import Ground
import Storage

/// Takes the administrator's decision on a parked request.
package struct ConsentService: Sendable {
    private let database: any Database
    private let surroundings: Surroundings
    /// The error code for a denied request: `access_denied`, unless the operator keeps that of the service that we are
    /// compatible with.
    private let cancelledError: String

    package init(database: any Database, surroundings: Surroundings, cancelledError: String) {
        self.database = database
        self.surroundings = surroundings
        self.cancelledError = cancelledError
    }

    package enum Outcome: Sendable {
        case answer(AuthorizationResponse.Carrier)
        /// The person may not, or no longer, decide.
        case refused(ConsentQuestion)
        /// The request was answered already, and the answer was used: nothing is sent twice.
        case alreadyAnswered
        /// The person was signed out in the meantime: they sign in, and see the page again.
        case signedOut
    }

    /// Records the consent and issues a code, in one transaction.
    ///
    /// Pressing Allow twice, or again after the back button, gives a new code instead of the one that the browser
    /// dropped. Once a code was redeemed, the request is over.
    /// - Throws: ``OAuthError`` if the app may not make the request any more.
    package func allow(
        _ parked: ParkedRequest, by session: BrowserSession, origin: Origin
    ) async throws -> Outcome {
        let now = surroundings.now()
        return try await database.write { transaction in
            // Request and session are read again, because the person may have been signed out while the page was open.
            guard let parked = try ParkedRequest.reload(parked, in: transaction) else { return .alreadyAnswered }
            guard let session = try BrowserSession.reload(session, at: now, in: transaction) else { return .signedOut }
            let (request, person) = (parked.request, session.person)
            let question = try ConsentQuestion.find(for: request, person: person, at: now, in: transaction)
            guard case .ask(let ask) = question else { return .refused(question) }
            guard parked.answer != .denied, try !AuthorizationCode.wasRedeemed(for: parked, in: transaction) else {
                return .alreadyAnswered
            }
            let consent = try Consent.put(
                app: ask.app.id, organization: ask.organization.id, scopes: request.scopes, lastDay: ask.lastDay,
                by: person.id, at: now, surroundings: surroundings, in: transaction)
            let code = try AuthorizationCode.insert(
                for: parked, basis: .organization(consent.id), session: session, at: now, from: surroundings,
                in: transaction)
            try parked.record(.allowed, in: transaction)
            try AuditEntry(
                .consentGranted, by: .person(person.id), on: "app:\(ask.app.id.rawValue)", outcome: .done,
                detail: request.scopes.text + (ask.lastDay.map { "; last day \($0.text)" } ?? ""), from: origin
            ).append(to: ask.organization.id, at: now, in: transaction)
            return .answer(request.response.code(code.text))
        }
    }

    /// Sends the person back to the app without a code. Denying needs no role.
    /// - Throws: ``OAuthError`` if the app has been removed.
    package func deny(_ parked: ParkedRequest, by person: Person?, origin: Origin) async throws -> Outcome {
        let now = surroundings.now()
        return try await database.write { transaction in
            guard let current = try ParkedRequest.reload(parked, in: transaction), current.answer != .allowed
            else { return .alreadyAnswered }
            try parked.record(.denied, in: transaction)
            if let person, let app = try App.find(clientID: parked.request.clientID, in: transaction) {
                try AuditEntry(
                    .consentDenied, by: .person(person.id), on: "app:\(app.id.rawValue)", outcome: .done,
                    detail: parked.request.scopes.text, from: origin
                ).append(to: person.organizationID, at: now, in: transaction)
            }
            return .answer(parked.request.response.cancelled(as: cancelledError))
        }
    }
}
