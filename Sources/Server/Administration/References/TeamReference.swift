import Authorization
import Directory
import Storage

/// Names a team: by its id of 10 characters, or its exact name.
package struct TeamReference: Codable, Equatable, Sendable {
    let text: String

    package init(_ text: String) { self.text = text }
    init(_ team: Team) { text = team.publicID }

    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    static let explanation = "The team: its id of 10 characters, or its exact name."

    /// Whoever is no member of the team is refused in the same way whether or not there is such a team.
    /// - Throws: ``OperationError/forbidden(_:)``, for the operator ``OperationError/notFound(_:_:in:)``;
    ///   ``OperationError/ambiguous(_:_:_:)``
    func find(
        for privilege: Privilege, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Team {
        let known = try context.authority.knownTeams(in: transaction)
        if let found = known.first(where: { $0.publicID == text }) { return found }
        let named = known.filter { $0.name == text }
        switch named.count {
        case 1: return named[0]
        case 0:
            guard context.authority.isOperator else { throw OperationError.forbidden(privilege) }
            throw OperationError.notFound(.team, text, in: nil)
        default: throw OperationError.ambiguous(.team, text, named.map(\.publicID))
        }
    }
}

extension Authority {
    /// The teams of which the caller may know: for the operator, all.
    func knownTeams(in transaction: some Transaction) throws -> [Team] {
        let all = try Team.list(in: transaction)
        return isOperator ? all : all.filter { teams.contains($0.id) }
    }
}

/// An operation on a team that it names.
package protocol TeamOperation: Operation where Subject == Team {
    var team: TeamReference { get }
}

extension TeamOperation {
    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Team {
        try team.find(for: Self.privilege, in: context, transaction)
    }
}
