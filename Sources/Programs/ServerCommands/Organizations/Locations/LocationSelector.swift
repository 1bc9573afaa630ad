import CommandOutput
import Directory
import Foundation
import Storage

/// Finds a location by its location id, its exact name, or `LO:` and its number as apps see it.
struct LocationSelector: Sendable {
    let text: String

    /// - Throws: ``Failure`` if there is no such location, or several.
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
        case 0:
            throw Failure(
                "\(organization.name) has no location “\(text)”. `lanyard org location list` shows those that it has.")
        default:
            let numbers = named.map { "LO:\($0.id.rawValue)" }.joined(separator: ", ")
            throw Failure("\(named.count) locations are called “\(text)”; name one by its number: \(numbers).")
        }
    }
}
