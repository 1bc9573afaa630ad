import Authorization
import Storage

/// The addresses that somebody gives for an app, not yet checked.
struct RegisteredAddresses {
    var returnURLs: [String]?
    var nativeReturnURLs: [String]?
    var signOutURLs: [String]?
    var notificationURL: String?
    var backChannelLogoutURL: String?

    struct Checked {
        let returnURLs: [ReturnURL]
        let signOutURLs: [ReturnURL]
        let notificationURL: NotificationURL?
        let backChannelLogoutURL: NotificationURL?
    }

    /// - Parameter development: whether addresses on loopback are taken too. Only the operator may say so, because the
    ///   server itself calls some of the addresses.
    /// - Throws: ``ReturnURL/Problem``, ``NotificationURL/Problem``, ``OperationError/forbidden(_:)``
    func checked(development: Bool?, in context: OperationContext) throws -> Checked {
        guard development != true || context.authority.isOperator else {
            throw OperationError.forbidden(.operateServer)
        }
        let takesLoopback = development == true || context.services.developers.takesLoopback
        return Checked(
            returnURLs: try (returnURLs ?? []).map { try ReturnURL($0, allowingLoopback: takesLoopback) }
                + (nativeReturnURLs ?? []).map { try ReturnURL(native: $0) },
            signOutURLs: try (signOutURLs ?? []).map { try ReturnURL($0, allowingLoopback: takesLoopback) },
            notificationURL: try notificationURL.map { try NotificationURL($0, allowingLoopback: takesLoopback) },
            backChannelLogoutURL: try backChannelLogoutURL.map {
                try NotificationURL($0, allowingLoopback: takesLoopback)
            })
    }

    /// The explanations of the inputs of these names.
    static let explanations = [
        "nativeReturnURLs":
            "Return URLs of programs on people's own devices: `http://127.0.0.1/callback`, which matches every port, or "
            + "`com.example.quizzler:/callback`.",
        "backChannelLogoutURL": "Where logout tokens go when a person signs out (`backchannel_logout_uri`).",
        "notificationURL": "Where notifications go, such as that a consent was revoked.",
        "requiresPKCE": "Whether each authorization request needs a `code_challenge`, also of clients with a secret.",
        "development": "Whether addresses on loopback are taken too. Only the operator may say so.",
    ]
}

extension ScopeSet {
    /// - Throws: ``OperationError/invalid(field:reason:)`` for a scope that no app is registered for.
    init(registering scopes: [Scope]) throws {
        if let other = scopes.first(where: { !Scope.registrable.contains($0) }) {
            throw OperationError.invalid(
                field: "scopes",
                reason: "contain \(other.rawValue), which every app may ask for without being registered")
        }
        self.init(scopes)
    }
}
