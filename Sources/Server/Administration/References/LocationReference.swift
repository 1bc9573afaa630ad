import Directory
import Foundation
import Storage

/// Names a location: by its id in the school's records, its exact name, or `LO:` and its number.
package struct LocationReference: Codable, Equatable, Sendable {
    let text: String

    package init(_ text: String) { self.text = text }
    package init(_ id: LocationID) { text = "LO:\(id.rawValue)" }

    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// - Throws: ``OperationError/notFound(_:_:in:)``, ``OperationError/ambiguous(_:_:_:)``
    func find(in organization: Organization, _ transaction: some Transaction) throws -> Location {
        if let number = text.wholeMatch(of: /LO:([0-9]{1,18})/).flatMap({ Int64($0.1) }),
            let found = try Location.find(LocationID(rawValue: number), in: organization.id, transaction)
        {
            return found
        }
        if let found = try Location.find(sourceID: text, in: organization.id, transaction) { return found }
        let named = try Location.list(
            named: text.precomposedStringWithCanonicalMapping, in: organization.id, transaction)
        switch named.count {
        case 1: return named[0]
        case 0: throw OperationError.notFound(.location, text, in: organization.name)
        default: throw OperationError.ambiguous(.location, text, named.map { "LO:\($0.id.rawValue)" })
        }
    }

    /// As ``find(in:_:)``, and by its number it also finds an archived location: former sharing rules can be put back
    /// even if an import has archived one of their locations since.
    func findAlsoArchived(in organization: Organization, _ transaction: some Transaction) throws -> Location {
        if let number = text.wholeMatch(of: /LO:([0-9]{1,18})/).flatMap({ Int64($0.1) }),
            let found = try Location.findAlsoArchived(LocationID(rawValue: number), in: organization.id, transaction)
        {
            return found
        }
        return try find(in: organization, transaction)
    }

    /// The location that files of one school are of.
    /// - Throws: as ``find(in:_:)``, and ``OperationError/refused(_:remedy:)`` if the location is archived
    package func findSchool(in organization: Organization, _ transaction: some Transaction) throws -> LocationID {
        do {
            return try find(in: organization, transaction).id
        } catch OperationError.notFound {
            guard let archived = try Location.archived(text, in: organization.id, transaction) else {
                throw OperationError.notFound(.location, text, in: organization.name)
            }
            throw OperationError.refused(
                "\(archived) is archived. It comes back with an import of the whole organization that names it.")
        }
    }
}
