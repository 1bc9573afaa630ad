import Authorization
import Directory
import Storage

/// The names that people know, for the ids in entries of the audit trail: only names that the caller may see.
struct AuditNames {
    private let authority: Authority
    private let organization: Organization?
    /// The names by id, such as `person:12`. Nil for an id that has no name, or whose name the caller may not see.
    private var found: [String: String?] = [:]

    init(for authority: Authority, in organization: Organization?) {
        self.authority = authority
        self.organization = organization
    }

    /// The names that were found, by id.
    var names: [String: String] { found.compactMapValues(\.self) }

    mutating func add(_ record: AuditRecord, _ transaction: some Transaction) throws {
        for text in [record.actor, record.subject] { try add(text, transaction) }
        for word in record.detail.split(whereSeparator: { " ,;".contains($0) }) where word.contains(":") {
            try add(String(word), transaction)
        }
    }

    mutating func add(_ id: String, _ transaction: some Transaction) throws {
        guard found[id] == nil else { return }
        found.updateValue(try name(of: id, transaction), forKey: id)
    }

    private func name(of id: String, _ transaction: some Transaction) throws -> String? {
        guard let colon = id.firstIndex(of: ":") else { return nil }
        let rest = String(id[id.index(after: colon)...])
        if id.hasPrefix("client:") {
            if let app = try App.find(clientID: rest, in: transaction) { return app.name }
            let client = try APIClient.find(rest, in: transaction)
            return client?.organizationID == organization?.id || authority.isOperator ? client?.name : nil
        }
        guard let number = Int64(rest) else { return nil }
        switch id[..<colon] {
        case "person":
            guard let person = try Person.find(PersonID(rawValue: number), in: transaction), !person.isErased,
                try person.isOpen(to: authority, for: .readPeople, in: transaction)
            else { return nil }
            return person.fullName
        case "app": return try App.find(AppID(rawValue: number), in: transaction)?.name
        case "location":
            return try organization.flatMap {
                try Location.findAlsoArchived(LocationID(rawValue: number), in: $0.id, transaction)?.name
            }
        case "class":
            let found = try organization.flatMap {
                try ManagedClass.find(ClassID(rawValue: number), in: $0.id, transaction)
            }
            guard let found, try found.isOpen(to: authority, for: .readPeople, in: transaction) else { return nil }
            return found.displayName ?? found.name
        case "term":
            let found = try Term.find(TermID(rawValue: number), in: transaction)
            return found?.organizationID == organization?.id ? found?.name : nil
        default: return nil
        }
    }
}
