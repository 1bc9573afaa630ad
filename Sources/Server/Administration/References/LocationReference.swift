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

    /// The number that it names; nil for an id or a name.
    private var number: LocationID? { text.number(after: "LO:").map { LocationID(rawValue: $0) } }

    /// - Throws: ``OperationError/notFound(_:_:in:)``, ``OperationError/ambiguous(_:_:_:)``
    func find(in organization: Organization, _ transaction: some Transaction) throws -> Location {
        if let number, let found = try Location.find(number, in: organization.id, transaction) { return found }
        if let found = try Location.find(sourceID: text, in: organization.id, transaction) { return found }
        let named = try Location.list(
            named: text.precomposedStringWithCanonicalMapping, in: organization.id, transaction)
        switch named.count {
        case 1: return named[0]
        case 0: throw OperationError.notFound(.location, text, in: organization.name)
        default: throw OperationError.ambiguous(.location, text, named.map { "LO:\($0.id.rawValue)" })
        }
    }

    /// Finds archived locations too. If the text fits several, some archived and others not, those are meant that are as the
    /// caller expects.
    /// - Throws: as ``find(in:_:)``
    func find(
        in organization: Organization, expectingArchived isArchived: Bool, _ transaction: some Transaction
    ) throws -> Location {
        if let number, let found = try Location.findAlsoArchived(number, in: organization.id, transaction) {
            return found
        }
        let archived = try Location.listArchived(called: text, in: organization.id, transaction)
        func findArchived() throws -> Location? {
            if let exact = archived.first(where: { $0.sourceID == text }) { return exact }
            guard archived.count < 2 else {
                throw OperationError.ambiguous(.location, text, archived.map { "LO:\($0.id.rawValue)" })
            }
            return archived.first
        }
        if isArchived, let found = try findArchived() { return found }
        do {
            return try find(in: organization, transaction)
        } catch OperationError.notFound {
            guard let found = try findArchived() else {
                throw OperationError.notFound(.location, text, in: organization.name)
            }
            return found
        }
    }

    /// As ``find(in:_:)``, and by its number it also finds an archived location: former sharing rules can be put back
    /// even if one of their locations was removed since.
    func findAlsoArchived(in organization: Organization, _ transaction: some Transaction) throws -> Location {
        if let number, let found = try Location.findAlsoArchived(number, in: organization.id, transaction) {
            return found
        }
        return try find(in: organization, transaction)
    }

    /// The location that files of one school are of.
    /// - Throws: as ``find(in:_:)``, and ``OperationError/refused(_:remedy:)`` if the location is archived
    package func findSchool(in organization: Organization, _ transaction: some Transaction) throws -> LocationID {
        let found = try find(in: organization, expectingArchived: false, transaction)
        guard found.archivedAt != nil else { return found.id }
        // No files bring back a location of a business.
        let orByFiles =
            organization.kind == .school ? ", or with an import of the whole organization that names it" : ""
        throw OperationError.refused(
            "\(found.name) was removed. It comes back when somebody restores it\(orByFiles).",
            remedy: .init(RestoreLocation.name, "LO:\(found.id.rawValue)"))
    }
}
