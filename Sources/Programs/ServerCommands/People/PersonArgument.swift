import Administration
import ArgumentParser
import CommandOutput
import Directory
import Storage

/// The argument for the person that a command is about.
struct PersonArgument: ParsableArguments {
    @Argument(help: "The person: user name, person id, or number.")
    var person: String

    @OptionGroup var organization: OrganizationOption

    var reference: PersonReference { PersonReference(person) }

    /// Carries out a change that is about this person, as the operator.
    /// - Returns: its answer.
    func perform<C: Change>(
        _ change: (PersonReference) -> C, _ global: GlobalOptions, tellsOfPasswords: Bool = false
    ) async throws -> C.Answer {
        try await Deployment.administrate(global, tellsOfPasswords: tellsOfPasswords) {
            try await $0.perform(change(reference), in: organization.reference).answer
        }
    }

    var selector: PersonSelector { PersonSelector(text: person, organization: organization.selector) }
}

/// Finds a person by what was typed for them.
struct PersonSelector: Sendable {
    let text: String
    /// Restricts the search to an organization; without one all people are searched.
    let organization: OrganizationSelector

    init(text: String, organization: OrganizationSelector = OrganizationSelector(text: nil)) {
        self.text = text
        self.organization = organization
    }

    /// A user name takes precedence, because it is unique. If the text matches the person id of one person and the
    /// number of another, this fails and asks which one is meant.
    /// - Throws: ``Failure`` if there is no such person, or several.
    func find(in transaction: some Transaction) throws -> Person {
        let place = try organization.text.map { _ in try organization.find(in: transaction) }
        if let found = try Person.find(userName: text, in: transaction), isIn(place, found) { return found }
        var found: [Person] = []
        for organization in try place.map({ [$0] }) ?? Organization.list(in: transaction) {
            if let person = try Person.find(sourceID: text, in: organization.id, transaction) { found.append(person) }
        }
        if let number = Int64(text), let person = try Person.find(PersonID(rawValue: number), in: transaction),
            isIn(place, person), !found.contains(person)
        {
            found.append(person)
        }
        switch found.count {
        case 1: return found[0]
        case 0:
            throw Failure(
                """
                There is no person “\(text)”\(place.map { " in \($0.name)" } ?? ""). \
                `lanyard person list --text …` finds people.
                """)
        default:
            throw Failure(
                "“\(text)” means several people; name one by user name: \(found.map(\.userName).joined(separator: ", "))."
            )
        }
    }

    /// As ``find(in:)``, but refuses people of the test school, which is the same in all installations and must not be
    /// changed.
    func findToChange(in transaction: some Transaction) throws -> Person {
        let person = try find(in: transaction)
        if let synthetic = try Organization.synthetic(in: transaction), person.organizationID == synthetic.id {
            throw Failure("\(person.fullName) belongs to \(synthetic.name), which is the same on every server.")
        }
        return person
    }

    private func isIn(_ organization: Organization?, _ person: Person) -> Bool {
        !person.isErased && (organization == nil || person.organizationID == organization?.id)
    }
}
