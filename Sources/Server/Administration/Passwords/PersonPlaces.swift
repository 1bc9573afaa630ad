import Directory
import Storage

/// Finds the school and the class under which people's passwords are handed out.
struct PersonPlaces {
    struct Place {
        let school: String?
        let className: String?
    }

    private let recipients: PasswordRecipients
    private var names: [LocationID: String] = [:]
    private var className: String??

    init(of recipients: PasswordRecipients) { self.recipients = recipients }

    /// The location and the class that were asked for. Otherwise the first location of the person, and the first class
    /// in which they learn: somebody in several classes has one slip, not several.
    mutating func place(of person: Person, in transaction: some Transaction) throws -> Place {
        let location =
            try recipients.location
            ?? RoleAssignment.recorded(of: person.id, in: transaction).lazy.compactMap(\.location).first
        return Place(
            school: try location.flatMap { try name(of: $0, in: transaction) },
            className: try recipients.rosterClass != nil
                ? askedClass(in: transaction)
                : RosterClass.names(of: person.id, in: transaction).first)
    }

    private mutating func name(of location: LocationID, in transaction: some Transaction) throws -> String? {
        if let known = names[location] { return known }
        let name = try Location.find(location, in: recipients.organization.id, transaction)?.name
        names[location] = name
        return name
    }

    private mutating func askedClass(in transaction: some Transaction) throws -> String? {
        if let className { return className }
        let name = try recipients.rosterClass.flatMap {
            try RosterClass.find($0, in: recipients.organization.id, transaction)
        }?.visibleName
        className = .some(name)
        return name
    }
}
