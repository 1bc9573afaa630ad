import Authorization
import Directory
import Storage

/// Lists the consents of an organization, oldest first.
package struct ListConsents: Inquiry {
    package static let name = "consent.list"
    package static let summary =
        "Lists which apps an organization lets or has let read, and how long its consents last."
    package static let privilege = Privilege.shareData
    package static let route = OperationRoute(.get, "consents")
    package static let explanations = ["onlyAlive": "Whether those that have ended are left out."]

    package struct Answer: Codable, Sendable {
        package let consents: [ConsentRecord]
        /// How long a consent lasts that is given or renewed now: `unlimited`, `year`, or until a day such as `07-31`.
        package let term: String
    }

    package let onlyAlive: Bool?

    package init(onlyAlive: Bool? = nil) { self.onlyAlive = onlyAlive }

    package func answer(
        about organization: Organization, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        Answer(
            consents: try Consent.list(of: organization.id, in: transaction)
                .filter { onlyAlive != true || $0.isAlive(at: context.now) }
                .compactMap { consent in
                    try App.find(consent.appID, in: transaction).map {
                        try ConsentRecord(
                            AppConsent(consent: consent, app: $0, organization: organization), in: context,
                            transaction)
                    }
                },
            term: try ConsentTerm.find(of: organization.id, in: transaction).text)
    }

    package static func people(in answer: Answer) -> [PersonID]? { answer.consents.namedPeople }
}

/// Shows the consent for one app: the one that is alive, or the last one.
package struct ShowConsent: Inquiry {
    package typealias Answer = ConsentRecord

    package static let name = "consent.show"
    package static let summary =
        "Shows the consent of an organization for an app: the one that is alive, or the last one."
    package static let privilege = Privilege.shareData
    package static let route = OperationRoute(.get, "apps/{app}/consent")
    package static let explanations = ["app": AppReference.explanation]

    package let app: AppReference

    package init(app: AppReference) { self.app = app }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> AppConsent {
        let shared = try app.findShared(in: context, transaction)
        let all = try Consent.list(of: shared.organization.id, in: transaction)
        guard let last = all.last(where: { $0.appID == shared.app.id }) else {
            throw OperationError.notFound(.consent, shared.app.name, in: shared.organization.name)
        }
        return AppConsent(consent: last, app: shared.app, organization: shared.organization)
    }

    package func answer(
        about given: AppConsent, in context: OperationContext, _ transaction: some Transaction
    ) throws -> ConsentRecord { try ConsentRecord(given, in: context, transaction) }

    package static func people(in answer: ConsentRecord) -> [PersonID]? { [answer].namedPeople }
}

extension [ConsentRecord] {
    fileprivate var namedPeople: [PersonID]? {
        let found = Set(flatMap(\.people)).sorted()
        return found.isEmpty ? nil : found
    }
}
