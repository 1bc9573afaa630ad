import Authorization
import Storage

/// The addresses that somebody gives for an app, not yet checked.
struct RegisteredAddresses {
    var domains: [String]?
    var returnURLs: [String]?
    var nativeReturnURLs: [String]?
    var signOutURLs: [String]?
    var notificationURL: String?
    var backChannelLogoutURL: String?

    struct Checked {
        let domains: [AppDomain]
        let returnURLs: [ReturnURL]
        let signOutURLs: [ReturnURL]
        let notificationURL: NotificationURL?
        let backChannelLogoutURL: NotificationURL?
    }

    /// - Parameter development: whether addresses on loopback are taken too. Only the operator may say so, because the
    ///   server itself calls some of the addresses.
    /// - Throws: ``AppDomain/Problem``, ``ReturnURL/Problem``, ``NotificationURL/Problem``, ``OperationError/forbidden(_:)``
    func checked(development: Bool?, in context: OperationContext) throws -> Checked {
        guard development != true || context.authority.isOperator else {
            throw OperationError.forbidden(.operateServer)
        }
        let takesLoopback = development == true || context.services.developers.takesLoopback
        return Checked(
            domains: try (domains ?? []).map { try AppDomain($0) },
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
        "domains":
            "The hosts of the web pages from which people sign in, such as `www.quizzler.example`, where every return URL "
            + "on the web has to be; without any they are the hosts of the return URLs. A domain does not stand for its "
            + "subdomains.",
        "nativeReturnURLs":
            "Return URLs of programs on people's own devices: `http://127.0.0.1/callback`, which matches every port, or "
            + "`com.example.quizzler:/callback`.",
        "backChannelLogoutURL": "Where logout tokens go when a person signs out (`backchannel_logout_uri`).",
        "notificationURL": "Where notifications go, such as that a consent was revoked.",
        "requiresPKCE": "Whether each authorization request needs a `code_challenge`, also of clients with a secret.",
        "development": "Whether addresses on loopback are taken too. Only the operator may say so.",
    ]
}

extension App {
    /// - Throws: ``OperationError/invalid(field:reason:)`` if the app has domains and a return URL elsewhere
    func requireReturnURLsAtDomains(in transaction: some Transaction) throws {
        guard let stray = try returnURLOutsideDomains(in: transaction) else { return }
        throw OperationError.invalid(
            field: "domains",
            reason: "lack \(stray.host), where the return URL \(stray.url) is: add the domain, or take the URL away")
    }
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
