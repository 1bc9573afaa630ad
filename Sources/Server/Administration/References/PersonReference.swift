import Directory
import Storage

/// Names a person: by user name, person id, or number, with or without `PE-` before it.
package struct PersonReference: Codable, Equatable, Sendable {
    let text: String

    package init(_ text: String) { self.text = text }
    package init(_ id: PersonID) { text = "PE-\(id.rawValue)" }

    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// Searches the named organization, or all if none is named. A user name takes precedence, because it is unique. A
    /// former one finds the person who had it, for as long as nobody else gets it.
    /// - Throws: ``OperationError/notFound(_:_:in:)``; ``OperationError/ambiguous(_:_:_:)`` if the text is the person
    ///   id of one person, and the number or a former user name of another. It names those whom the caller may read.
    func find(in context: OperationContext, _ transaction: some Transaction) throws -> Person {
        let place = context.organization
        func isInside(_ person: Person) -> Bool {
            !person.isErased && (place == nil || person.organizationID == place?.id)
        }
        if let number = text.number(after: "PE-") {
            if let person = try Person.find(PersonID(rawValue: number), in: transaction), isInside(person) {
                return person
            }
        }
        if let found = try Person.find(userName: text, in: transaction), isInside(found) { return found }
        var found: [Person] = []
        if let former = try FormerUserName.find(text, at: context.now, in: transaction),
            let person = try Person.find(former.personID, in: transaction), isInside(person)
        {
            found.append(person)
        }
        for organization in try place.map({ [$0] }) ?? Organization.listOwn(in: transaction) {
            if let person = try Person.find(sourceID: text, in: organization.id, transaction),
                !found.contains(person)
            {
                found.append(person)
            }
        }
        if let number = Int64(text), let person = try Person.find(PersonID(rawValue: number), in: transaction),
            isInside(person), !found.contains(person)
        {
            found.append(person)
        }
        switch found.count {
        case 1: return found[0]
        case 0: throw OperationError.notFound(.person, text, in: place?.name)
        default:
            let readable = try found.filter {
                try $0.isOpen(to: context.authority, for: .readPeople, in: transaction)
            }
            throw OperationError.ambiguous(.person, text, readable.map(\.userName))
        }
    }

    /// The same as ``find(in:_:)``, for a change.
    /// - Throws: also for people of the test school, whom nobody may change, because it is the same on every server.
    func findToChange(in context: OperationContext, _ transaction: some Transaction) throws -> Person {
        let person = try find(in: context, transaction)
        if let synthetic = try Organization.synthetic(in: transaction), person.organizationID == synthetic.id {
            throw OperationError.refused(
                "\(person.fullName) belongs to \(synthetic.name), which is the same on every server.")
        }
        return person
    }
}
