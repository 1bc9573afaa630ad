import Authorization
import Directory
import Storage

/// Which app is meant: by a client id, its exact name, or `app:` and its number, as the audit trail has it.
package struct AppReference: Codable, Equatable, Sendable {
    let text: String

    package init(_ text: String) { self.text = text }
    package init(_ id: AppID) { text = "app:\(id.rawValue)" }

    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// Also finds apps that were removed, by their number: the trail goes on knowing them.
    /// - Throws: ``OperationError/notFound(_:_:in:)``, ``OperationError/ambiguous(_:_:_:)``
    func find(_ transaction: some Transaction) throws -> App {
        if let number = text.number(after: "app:"),
            let found = try App.find(AppID(rawValue: number), in: transaction)
        {
            return found
        }
        if let found = try App.find(clientID: text, in: transaction) { return found }
        let named = try App.list(in: transaction).filter { $0.name == text }
        switch named.count {
        case 1: return named[0]
        case 0: throw OperationError.notFound(.app, text, in: nil)
        default: throw OperationError.ambiguous(.app, text, named.map { "app:\($0.id.rawValue)" })
        }
    }

    /// The same for whoever administrates an organization: in a team's sandbox there are no apps but those of the team.
    /// - Throws: the errors of ``find(_:)``
    func find(in organization: Organization?, _ transaction: some Transaction) throws -> App {
        let found = try find(transaction)
        guard let organization, organization.isSandbox,
            try !AccessRule.find(.signIn, of: organization.id, in: transaction).mayList(found)
        else { return found }
        throw OperationError.notFound(.app, text, in: nil)
    }

    /// An app of a team of the caller. Whoever is no member is refused in the same way whether or not there is such an
    /// app.
    /// - Throws: ``OperationError/forbidden(_:)``, for the operator ``OperationError/notFound(_:_:in:)``;
    ///   ``OperationError/ambiguous(_:_:_:)``
    func findDeveloped(
        for privilege: Privilege, in context: OperationContext, _ transaction: some Transaction
    ) throws -> App {
        let authority = context.authority
        guard !authority.isOperator else { return try find(transaction) }
        let known = try App.list(in: transaction).filter { authority.teams.contains($0.teamID) }
        if let found = known.first(where: { $0.auditName == text }) { return found }
        if let found = try App.find(clientID: text, in: transaction), known.contains(where: { $0.id == found.id }) {
            return found
        }
        let named = known.filter { $0.name == text }
        switch named.count {
        case 1: return named[0]
        case 0: throw OperationError.forbidden(privilege)
        default: throw OperationError.ambiguous(.app, text, named.map(\.auditName))
        }
    }

    /// As ``findDeveloped(for:in:_:)``, for a change.
    /// - Throws: ``OperationError/refused(_:remedy:)`` also if the app was removed
    func findToDevelop(
        for privilege: Privilege, in context: OperationContext, _ transaction: some Transaction
    ) throws -> App {
        let found = try findDeveloped(for: privilege, in: context, transaction)
        guard found.removedAt == nil else {
            throw OperationError.refused("\(found.name) was removed from this server.")
        }
        return found
    }
}

/// A change of an app that it names, which was not removed.
package protocol AppChange: Change where Subject == App {
    var app: AppReference { get }
}

extension AppChange {
    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> App {
        try app.findToDevelop(for: Self.privilege, in: context, transaction)
    }
}
