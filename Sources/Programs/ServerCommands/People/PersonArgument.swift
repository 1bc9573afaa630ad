import ArgumentParser
import CommandOutput
import Directory
import Storage

/// The person that a command is about.
struct PersonArgument: ParsableArguments {
    @Argument(help: "The person: user name, person id, or number.")
    var person: String

    @OptionGroup var organization: OrganizationOption

    var selector: PersonSelector { PersonSelector(text: person, organization: organization.selector) }
}

/// Finds the person that somebody means.
struct PersonSelector: Sendable {
    let text: String
    /// Where to look; without a name everywhere.
    let organization: OrganizationSelector

    init(text: String, organization: OrganizationSelector = OrganizationSelector(text: nil)) {
        self.text = text
        self.organization = organization
    }

    /// A user name wins, because nobody else can have it. A person id may look like a number; if the two mean
    /// different people the caller has to say which.
    /// - Throws: ``Failure``
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

    /// As ``find(in:)``, but nobody of the test school: Lanyard makes it, the same everywhere.
    func findToChange(in transaction: some Transaction) throws -> Person {
        let person = try find(in: transaction)
        if let synthetic = try Organization.synthetic(in: transaction), person.organizationID == synthetic.id {
            throw Failure("\(person.fullName) belongs to \(synthetic.name), which is the same on every server.")
        }
        return person
    }

    private func isIn(_ organization: Organization?, _ person: Person) -> Bool {
        organization == nil || person.organizationID == organization?.id
    }
}
