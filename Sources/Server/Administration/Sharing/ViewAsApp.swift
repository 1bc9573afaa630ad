import Authorization
import Directory
import Storage

/// Shows what an app would get for a call: the very bytes.
package struct ViewAsApp: Inquiry {
    package static let name = "sharing.view-as"
    package static let summary = "Shows what an app would get for a call to the Roster API: the very bytes."
    package static let privilege = Privilege.shareData
    package static let route = OperationRoute(.get, "apps/{app}/sharing/view")
    package static let explanations = [
        "app": AppReference.explanation,
        "call": "Path and query below `/rosterapi/v1/`, about people or classes, such as `users?role=Student`.",
    ]

    package struct Answer: Codable, Sendable {
        package let body: String
        /// The numbers of the people whose records these are, in their order.
        package let people: [Int64]
        /// What the organization lets it read; or, before it has allowed anything, what it may ask for.
        package let scopes: String
        /// Whether it can read at present: there is a consent, and the access rules allow it.
        package let mayRead: Bool
    }

    package let app: AppReference
    package let call: String

    package init(app: AppReference, call: String) {
        self.app = app
        self.call = call
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> SharedApp {
        try app.findShared(in: context, transaction)
    }

    package func answer(
        about shared: SharedApp, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        // The app would get people's records, so the caller must be allowed to read people.
        guard context.authority.has(.readPeople, in: shared.organization.id) else {
            throw OperationError.forbidden(.readPeople)
        }
        guard let viewing = context.services.rosterViewing else {
            throw OperationError.refused("Nothing here answers calls of the Roster API.")
        }
        let seer = try RosterSeer(shared.app, of: shared.organization, at: context.now, in: transaction)
        do {
            let sight = try viewing.answer(to: call, as: seer, in: transaction.reading)
            return Answer(
                body: sight.body, people: sight.people.map(\.rawValue), scopes: seer.scopes.text,
                mayRead: seer.mayRead)
        } catch let refusal as RosterRefusal {
            throw Self.error(for: refusal)
        } catch is OAuthError {
            throw OperationError.invalid(field: "call", reason: "has a query that the app would be refused for")
        }
    }

    private static func error(for refusal: RosterRefusal) -> OperationError {
        switch refusal {
        case .badRequest(let message): .invalid(field: "call", reason: "would be answered with 400: \(message)")
        case .forbidden(let reason): .refused("The app would get 403, because \(reason).")
        default: .refused("The app would get 404.")
        }
    }

    package static func people(in answer: Answer) -> [PersonID]? {
        answer.people.map(PersonID.init(rawValue:))
    }
}
