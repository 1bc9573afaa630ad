import Directory
import Foundation
import Storage

/// Names a class: by its id in the school's records, its exact name, or `CL-` and its number.
package struct ClassReference: Codable, Equatable, Sendable {
    let text: String

    package init(_ text: String) { self.text = text }

    package init(_ id: ClassID) { text = "CL-\(id.rawValue)" }

    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// - Throws: ``OperationError/notFound(_:_:in:)``, ``OperationError/ambiguous(_:_:_:)``
    func find(in organization: Organization, _ transaction: some Transaction) throws -> ClassID {
        if let number = text.number(after: "CL-") {
            let id = ClassID(rawValue: number)
            if try RosterClass.exists(id, in: organization.id, transaction) { return id }
        }
        let found = try RosterClass.list(
            called: text.precomposedStringWithCanonicalMapping, in: organization.id, transaction)
        switch found.count {
        case 1: return found[0]
        case 0: throw OperationError.notFound(.class, text, in: organization.name)
        default: throw OperationError.ambiguous(.class, text, found.prefix(20).map { "CL-\($0.rawValue)" })
        }
    }

    /// Finds archived classes too. If the text fits several classes, some archived and others not, those are meant that
    /// are as the caller expects.
    /// - Throws: as ``find(in:_:)``
    func find(
        in organization: Organization, expectingArchived isArchived: Bool, _ transaction: some Transaction
    ) throws -> ManagedClass {
        if let number = text.number(after: "CL-"),
            let found = try ManagedClass.find(ClassID(rawValue: number), in: organization.id, transaction)
        {
            return found
        }
        let found = try ManagedClass.list(
            called: text.precomposedStringWithCanonicalMapping, in: organization.id, transaction)
        let expected = found.filter { $0.isArchived == isArchived }
        let choices = expected.isEmpty ? found : expected
        switch choices.count {
        case 1: return choices[0]
        case 0: throw OperationError.notFound(.class, text, in: organization.name)
        default: throw OperationError.ambiguous(.class, text, choices.prefix(20).map { "CL-\($0.id.rawValue)" })
        }
    }

    /// As ``find(in:expectingArchived:_:)``, for a change.
    func findToChange(
        in context: OperationContext, expectingArchived isArchived: Bool = false, _ transaction: some Transaction
    ) throws -> ManagedClass {
        try find(in: context.organizationToChange(transaction), expectingArchived: isArchived, transaction)
    }
}
