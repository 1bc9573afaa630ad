import Authorization
import Directory
import Storage

/// Registers an app of a team.
package struct CreateApp: Change, TeamOperation {
    package typealias Answer = AppRecord

    package static let name = "app.create"
    package static let summary = """
        Registers an app. People can sign in to it, and organizations are asked for their consent before it reads anything \
        of theirs.
        """
    package static let privilege = Privilege.manageApps
    package static let route = OperationRoute(.post, "teams/{team}/apps", below: .server)
    package static let explanations = [
        "team": TeamReference.explanation,
        "name": "The name, as people see it when they are asked to allow the app.",
        "localizedNames": "What people see in place of the name, where they read in another language.",
        "clientIDs": "Its client ids, such as com.example.quizzler; the first is the primary one.",
        "scopes": "What it may ask for.",
        "returnURLs": "The addresses that receive authorization codes.",
        "signOutURLs": "The addresses to which it may send people after they sign out.",
    ].merging(RegisteredAddresses.explanations) { own, _ in own }
    package static let undo = UndoRule.possible

    /// How many apps a team can have.
    static let appsMax = 100

    package let team: TeamReference
    package let name: String
    package let localizedNames: [LocalizedName]?
    package let clientIDs: [String]
    package let scopes: [Scope]
    package let domains: [String]?
    package let returnURLs: [String]?
    package let nativeReturnURLs: [String]?
    package let signOutURLs: [String]?
    package let notificationURL: String?
    package let backChannelLogoutURL: String?
    package let requiresPKCE: Bool?
    package let development: Bool?

    package init(
        team: TeamReference, name: String, localizedNames: [LocalizedName]? = nil, clientIDs: [String], scopes: [Scope],
        domains: [String]? = nil, returnURLs: [String]? = nil, nativeReturnURLs: [String]? = nil,
        signOutURLs: [String]? = nil, notificationURL: String? = nil,
        backChannelLogoutURL: String? = nil, requiresPKCE: Bool? = nil, development: Bool? = nil
    ) {
        self.team = team
        self.name = name
        self.localizedNames = localizedNames
        self.clientIDs = clientIDs
        self.scopes = scopes
        self.domains = domains
        self.returnURLs = returnURLs
        self.nativeReturnURLs = nativeReturnURLs
        self.signOutURLs = signOutURLs
        self.notificationURL = notificationURL
        self.backChannelLogoutURL = backChannelLogoutURL
        self.requiresPKCE = requiresPKCE
        self.development = development
    }

    package func carryOut(on team: Team, _: Void, in act: Act) throws -> AppRecord {
        let transaction = act.transaction
        let addresses = try RegisteredAddresses(
            domains: domains, returnURLs: returnURLs, nativeReturnURLs: nativeReturnURLs, signOutURLs: signOutURLs,
            notificationURL: notificationURL, backChannelLogoutURL: backChannelLogoutURL
        ).checked(development: development, in: act.context)
        guard try App.list(of: team.id, in: transaction).count < Self.appsMax else {
            throw OperationError.refused("\(team.name) has \(Self.appsMax) apps. Remove one that is not used any more.")
        }
        let scopes = try ScopeSet(registering: scopes)
        let app = try App.insert(
            name: name, team: team.id, clientIDs: clientIDs, returnURLs: addresses.returnURLs, scopes: scopes,
            notificationURL: addresses.notificationURL?.text, at: act.now, in: transaction)
        if let localizedNames { try app.put(localizedNames: try localizedNames.byLanguage(), in: transaction) }
        try app.put(domains: addresses.domains, in: transaction)
        try app.requireReturnURLsAtDomains(in: transaction)
        try app.put(signOutURLs: addresses.signOutURLs, in: transaction)
        try app.put(requiresProofKey: requiresPKCE ?? false, in: transaction)
        try app.put(backChannelLogoutURL: addresses.backChannelLogoutURL?.text, in: transaction)
        try act.record(.appCreated, on: app, called: app.name, scopes.text)
        act.undo(by: RemoveApp(app: AppReference(app.id)))
        return try act.appRecord(app)
    }
}
