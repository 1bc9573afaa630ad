import Authorization
import Directory
import Ground
import Storage

/// Says how a client authenticates, and how its identity tokens are signed.
package struct SetClient: ClientChange {
    package typealias Answer = ClientRecord

    package static let name = "client.set"
    package static let summary = """
        Says that a client authenticates with a key of its team, or has nothing to authenticate with (a public client), and \
        how its identity tokens are signed. A fixed secret becomes void.
        """
    package static let privilege = Privilege.manageApps
    package static let route = OperationRoute(.post, "clients/{client}", below: .server)
    package static let explanations = [
        "client": ClientReference.explanation,
        "authentication": "`key` or `none`. A fixed secret is made by `client.secret`.",
        "signingAlgorithm": "How its identity tokens are signed from now on.",
    ]
    package static let undo = UndoRule.possible
    package static let mayChangeNothing = true

    package let client: ClientReference
    package let authentication: Client.Authentication?
    package let signingAlgorithm: SigningAlgorithm?

    package init(
        client: ClientReference, authentication: Client.Authentication? = nil, signingAlgorithm: SigningAlgorithm? = nil
    ) {
        self.client = client
        self.authentication = authentication
        self.signingAlgorithm = signingAlgorithm
    }

    package func carryOut(on app: App, _: Void, in act: Act) throws -> ClientRecord {
        let found = try client.find(for: Self.privilege, in: act.context, act.transaction).client
        var changes: [String] = []
        if let authentication, authentication != found.authentication {
            switch authentication {
            case .none:
                try found.makePublic(in: act.transaction)
                changes.append("made public")
            case .key:
                try found.useKey(in: act.transaction)
                changes.append("uses a key of the team")
            case .secret:
                throw OperationError.invalid(
                    field: "authentication", reason: "is `secret`, which `client.secret` makes and shows once")
            }
        }
        if let signingAlgorithm, signingAlgorithm != found.signingAlgorithm {
            try found.put(signingAlgorithm: signingAlgorithm, in: act.transaction)
            changes.append("signed with \(signingAlgorithm.rawValue)")
        }
        guard !changes.isEmpty else { return ClientRecord(found) }
        try act.record(
            .appChanged, on: app, called: app.name,
            "client \(found.clientID) \(changes.joined(separator: ", "))")
        // A change of a client with a fixed secret is not undone: the server had only the secret's hash, which a change
        // of the authentication deletes.
        if found.authentication != .secret {
            act.undo(
                by: SetClient(
                    client: client, authentication: found.authentication, signingAlgorithm: found.signingAlgorithm))
        }
        return ClientRecord(try Client.find(found.clientID, in: act.transaction) ?? found)
    }
}

/// Makes a fixed secret for a client.
package struct MakeClientSecret: ClientChange {
    package static let name = "client.secret"
    package static let summary = """
        Makes a fixed secret, with which alone the client authenticates from now on. It replaces the one before. The answer \
        is the only place where it is shown.
        """
    package static let privilege = Privilege.manageApps
    package static let route = OperationRoute(.post, "clients/{client}/secret", below: .server)
    package static let explanations = ["client": ClientReference.explanation]
    package static let undo = UndoRule.impossible("The secret before is not stored, but as a hash.")

    package struct Answer: Codable, Sendable {
        package let client: ClientRecord
        package let secret: String
    }

    package let client: ClientReference

    package init(client: ClientReference) { self.client = client }

    package func carryOut(on app: App, _: Void, in act: Act) throws -> Answer {
        let found = try client.find(for: Self.privilege, in: act.context, act.transaction).client
        let secret = try found.makeSecret(from: act.surroundings, in: act.transaction)
        try act.record(.appChanged, on: app, called: app.name, "client \(found.clientID) got a new secret")
        return Answer(
            client: ClientRecord(try Client.find(found.clientID, in: act.transaction) ?? found), secret: secret.text)
    }
}

/// Takes a client id from its app.
package struct RemoveClient: ClientChange {
    package typealias Answer = AppRecord

    package static let name = "client.remove"
    package static let summary = """
        Takes a client id from its app: from the next call on it is unknown, and its tokens have ended. It stays reserved \
        for the app. The primary one stays.
        """
    package static let privilege = Privilege.manageApps
    package static let route = OperationRoute(.delete, "clients/{client}", below: .server)
    package static let explanations = ["client": ClientReference.explanation]
    package static let undo = UndoRule.possible

    package let client: ClientReference

    package init(client: ClientReference) { self.client = client }

    package func carryOut(on app: App, _: Void, in act: Act) throws -> AppRecord {
        let found = try client.find(for: Self.privilege, in: act.context, act.transaction).client
        guard !found.isPrimary else {
            throw OperationError.refused(
                "\(found.clientID) is the primary client id of \(app.name), to which notifications are addressed. It stays."
            )
        }
        try found.remove(at: act.now, in: act.transaction)
        try act.record(.appChanged, on: app, called: app.name, "client \(found.clientID) removed")
        var change = SetApp(app: AppReference(app.id))
        change.addClientIDs = [found.clientID]
        act.undo(by: change)
        return try act.appRecord(app)
    }
}

/// Names a client by its client id.
package struct ClientReference: Codable, Equatable, Sendable {
    let text: String

    package init(_ text: String) { self.text = text }

    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    static let explanation = "The client id."

    /// A client of an app that was not removed. Whoever is no member of its team is refused in the same way whether or
    /// not there is such a client.
    /// - Throws: ``OperationError/forbidden(_:)``, for the operator ``OperationError/notFound(_:_:in:)``
    func find(
        for privilege: Privilege, in context: OperationContext, _ transaction: some Transaction
    ) throws -> (client: Client, app: App) {
        guard let app = try App.find(clientID: text, in: transaction),
            let client = try Client.find(text, in: transaction),
            context.authority.has(privilege, in: app.teamID)
        else {
            guard context.authority.isOperator else { throw OperationError.forbidden(privilege) }
            throw OperationError.notFound(.client, text, in: nil)
        }
        return (client, app)
    }
}

/// A change of the app whose client it names.
package protocol ClientChange: Change where Subject == App {
    var client: ClientReference { get }
}

extension ClientChange {
    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> App {
        try client.find(for: Self.privilege, in: context, transaction).app
    }
}
