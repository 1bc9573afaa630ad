import CommandOutput
import Directory
import Foundation
import Storage

/// Finds a class by its class id, its exact name, or `CL-` and its number as apps see it.
struct ClassSelector: Sendable {
    let text: String

    /// - Throws: ``Failure`` if there is no such class, or several.
    func find(in organization: Organization, _ transaction: some Transaction) throws -> ClassID {
        if let number = text.wholeMatch(of: /CL-([0-9]{1,18})/).flatMap({ Int64($0.1) }) {
            let id = ClassID(rawValue: number)
            if try RosterClass.exists(id, in: organization.id, transaction) { return id }
        }
        let found = try RosterClass.list(
            called: text.precomposedStringWithCanonicalMapping, in: organization.id, transaction)
        switch found.count {
        case 1: return found[0]
        case 0: throw Failure("\(organization.name) has no class “\(text)”. Name it by its class_id or its exact name.")
        default:
            let numbers = found.prefix(20).map { "CL-\($0.rawValue)" }.joined(separator: ", ")
            throw Failure("\(found.count) classes are called “\(text)”; name one by its number: \(numbers).")
        }
    }
}
