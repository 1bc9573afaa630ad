import Authorization
import Directory
import Storage

/// Says what an app gets about one person, or why it gets nothing: by signing in, and by the roster.
package struct ExplainAccess: Inquiry {
    package static let name = "person.why"
    package static let summary =
        "Says what an app gets about one person, because of which rule, and what would change it."
    package static let privilege = Privilege.readPeople
    package static let route = OperationRoute(.get, "people/{person}/why")
    package static let explanations = [
        "person": "User name, person id, or number, such as `PE-12`.",
        "app": AppReference.explanation,
    ]

    package struct Answer: Codable, Equatable, Sendable {
        package let personNumber: Int64
        package let person: String
        /// `app:` and its number.
        package let appID: String
        package let app: String
        /// The organization that owns the account; nil for a personal account.
        package let organization: String?
        package let signIn: AccessVerdict
        package let roster: AccessVerdict
    }

    package let person: PersonReference
    package let app: AppReference

    package init(person: PersonReference, app: AppReference) {
        self.person = person
        self.app = app
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Person {
        try person.find(in: context, transaction)
    }

    package func answer(
        about person: Person, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        let organization = try person.organizationID.flatMap { try Organization.find($0, in: transaction) }
        let app = try app.find(in: organization, transaction)
        let found = try AccessExplanation(of: app, about: person, at: context.now, in: transaction)
        let names = AccessVerdict.Names(
            person: person.fullName, app: app.name, organization: organization?.name ?? "")
        return Answer(
            personNumber: person.id.rawValue, person: person.fullName, appID: "app:\(app.id.rawValue)", app: app.name,
            organization: organization?.name, signIn: AccessVerdict(found.signIn, names),
            roster: AccessVerdict(found.roster, names))
    }
}
