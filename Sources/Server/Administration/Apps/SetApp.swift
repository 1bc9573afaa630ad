import Authorization
import Directory
import Storage

/// Changes an app. Only what is given changes.
package struct SetApp: AppChange {
    package typealias Answer = AppRecord

    package static let name = "app.set"
    package static let summary = """
        Changes an app. Only what is given changes. What is taken away counts from the next call on; a scope is taken from \
        the consents that organizations have given, for good.
        """
    package static let privilege = Privilege.manageApps
    package static let route = OperationRoute(.post, "apps/{app}", below: .server)
    package static let explanations = [
        "app": AppReference.explanation,
        "name": "The new name.",
        "localizedNames": """
        What people see in place of the name, where they read in another language, in place of all such names.
        """,
        "addClientIDs": "More client ids, also such as were taken from the app. They stay reserved for it.",
        "scopes": "What the app may ask for from now on, in place of all that it might.",
        "domains": """
        The hosts of the web pages from which people sign in, in place of all. Every return URL on the web has to be at one \
        of them; without any they are the hosts of the return URLs. A domain does not stand for its subdomains.
        """,
        "addReturnURLs": "More addresses that receive authorization codes.",
        "removeReturnURLs": "Return URLs that are taken away.",
        "signOutURLs": "The addresses to which it may send people after they sign out, in place of all.",
        "clear": "Fields that are to be empty.",
        "logoutNeedsSession": "Whether logout tokens must name a session, or may name only the person.",
        "asksEveryTime": "Whether people confirm each sign-in to it.",
    ].merging(RegisteredAddresses.explanations) { own, _ in own }
    package static let undo = UndoRule.possible
    package static let mayChangeNothing = true

    /// A field that can be empty.
    package enum OptionalField: String, Codable, CaseIterable, Sendable {
        case localizedNames
        case notificationURL
        case backChannelLogoutURL
        case signOutURLs
        case domains
    }

    package let app: AppReference
    package var name: String?
    package var localizedNames: [LocalizedName]?
    package var addClientIDs: [String]?
    package var scopes: [Scope]?
    package var domains: [String]?
    package var addReturnURLs: [String]?
    package var nativeReturnURLs: [String]?
    package var removeReturnURLs: [String]?
    package var signOutURLs: [String]?
    package var notificationURL: String?
    package var backChannelLogoutURL: String?
    package var requiresPKCE: Bool?
    package var logoutNeedsSession: Bool?
    package var asksEveryTime: Bool?
    package var clear: [OptionalField]?
    package var development: Bool?

    package init(app: AppReference) { self.app = app }

    package func carryOut(on app: App, _: Void, in act: Act) throws -> AppRecord {
        let transaction = act.transaction
        try checkClear()
        let added = try RegisteredAddresses(
            domains: domains, returnURLs: addReturnURLs, nativeReturnURLs: nativeReturnURLs, signOutURLs: signOutURLs,
            notificationURL: notificationURL, backChannelLogoutURL: backChannelLogoutURL
        ).checked(development: development, in: act.context)
        let before = try act.appRecord(app)
        let scopes = try self.scopes.map { try ScopeSet(registering: $0) } ?? app.scopes
        try app.put(name: name ?? app.name, scopes: scopes, in: transaction)
        if localizedNames != nil || clears(.localizedNames) {
            try app.put(localizedNames: try (localizedNames ?? []).byLanguage(), in: transaction)
        }
        for clientID in addClientIDs ?? [] { try app.add(clientID: clientID, in: transaction) }
        for url in removeReturnURLs ?? [] {
            guard try app.remove(returnURL: url, in: transaction) else {
                throw OperationError.refused(
                    "\(app.name) has no return URL “\(url)”.",
                    remedy: .init("app.show", "“\(app.name)”", use: .looking("lists those that it has")))
            }
        }
        try app.add(returnURLs: added.returnURLs, in: transaction)
        if domains != nil || clears(.domains) { try app.put(domains: added.domains, in: transaction) }
        try app.requireReturnURLsAtDomains(in: transaction)
        if signOutURLs != nil || clears(.signOutURLs) { try app.put(signOutURLs: added.signOutURLs, in: transaction) }
        if notificationURL != nil || clears(.notificationURL) {
            try app.put(notificationURL: added.notificationURL?.text, in: transaction)
        }
        if backChannelLogoutURL != nil || clears(.backChannelLogoutURL) {
            try app.put(backChannelLogoutURL: added.backChannelLogoutURL?.text, in: transaction)
        }
        if let requiresPKCE { try app.put(requiresProofKey: requiresPKCE, in: transaction) }
        if let logoutNeedsSession { try app.put(logoutNeedsSession: logoutNeedsSession, in: transaction) }
        if let asksEveryTime { try app.put(asksEveryTime: asksEveryTime, in: transaction) }
        let after = try act.appRecord(app)
        guard after.version != before.version else { return after }
        try act.record(.appChanged, on: app, called: after.name, Self.differences(before, after))
        try act.narrowConsents(to: app, scopes)
        // A client id that was added is taken away by `client.remove`.
        if after.clientIDs == before.clientIDs { act.undo(by: inverse(of: before, after, app)) }
        return try act.appRecord(app)
    }

    private func clears(_ field: OptionalField) -> Bool { clear?.contains(field) == true }

    private func checkClear() throws {
        let given: [(OptionalField, Bool)] = [
            (.localizedNames, localizedNames != nil), (.notificationURL, notificationURL != nil),
            (.backChannelLogoutURL, backChannelLogoutURL != nil),
            (.signOutURLs, signOutURLs != nil), (.domains, domains != nil),
        ]
        for (field, isGiven) in given where isGiven && clears(field) {
            throw OperationError.invalid(field: field.rawValue, reason: "is given and also to be empty")
        }
    }

    /// The change that puts back what was changed. Consents from which scopes were taken do not get them back.
    private func inverse(of before: AppRecord, _ after: AppRecord, _ app: App) -> SetApp {
        func former<Value: Equatable>(_ field: KeyPath<AppRecord, Value>) -> Value? {
            before[keyPath: field] == after[keyPath: field] ? nil : before[keyPath: field]
        }
        let (gone, new) = (
            before.returnURLs.filter { !after.returnURLs.contains($0) },
            after.returnURLs.filter { !before.returnURLs.contains($0) }
        )
        var change = SetApp(app: AppReference(app.id))
        change.name = former(\.name)
        change.localizedNames = former(\.localizedNames)
        change.scopes = former(\.scopes).map { _ in app.scopes.scopes }
        change.domains = former(\.domains)
        change.addReturnURLs = gone.filter { !ReturnURL.isNative($0) }
        change.nativeReturnURLs = gone.filter { ReturnURL.isNative($0) }
        change.removeReturnURLs = new
        change.signOutURLs = former(\.signOutURLs)
        change.notificationURL = former(\.notificationURL) ?? nil
        change.backChannelLogoutURL = former(\.backChannelLogoutURL) ?? nil
        change.requiresPKCE = former(\.requiresPKCE)
        change.logoutNeedsSession = former(\.logoutNeedsSession)
        change.asksEveryTime = former(\.asksEveryTime)
        let emptied: [OptionalField?] = [
            before.notificationURL == nil && after.notificationURL != nil ? .notificationURL : nil,
            before.backChannelLogoutURL == nil && after.backChannelLogoutURL != nil ? .backChannelLogoutURL : nil,
        ]
        change.clear = emptied.compactMap(\.self)
        // Undoing may add addresses on loopback again, which only the operator may have let in with `development`.
        change.development = development
        return change
    }

    private static func differences(_ before: AppRecord, _ after: AppRecord) -> String {
        [
            before.name == after.name ? nil : "name",
            before.localizedNames == after.localizedNames ? nil : "names in other languages",
            before.scopes == after.scopes
                ? nil : "scopes \(before.scopes.joined(separator: " ")) → \(after.scopes.joined(separator: " "))",
            before.clientIDs == after.clientIDs ? nil : "client ids",
            before.domains == after.domains ? nil : "domains",
            before.returnURLs == after.returnURLs ? nil : "return URLs",
            before.signOutURLs == after.signOutURLs ? nil : "sign-out URLs",
            before.notificationURL == after.notificationURL ? nil : "notification URL",
            before.backChannelLogoutURL == after.backChannelLogoutURL ? nil : "logout URL",
            before.logoutNeedsSession == after.logoutNeedsSession
                ? nil : "logout tokens \(after.logoutNeedsSession ? "need a session" : "need no session")",
            before.requiresPKCE == after.requiresPKCE ? nil : "PKCE \(after.requiresPKCE ? "always" : "not always")",
            before.asksEveryTime == after.asksEveryTime
                ? nil : "people confirm \(after.asksEveryTime ? "each sign-in" : "the first sign-in")",
        ].compactMap(\.self).joined(separator: ", ")
    }
}

extension [LocalizedName] {
    /// - Throws: ``OperationError/invalid(field:reason:)`` for a language in which there are no pages, or two names for
    ///   one.
    func byLanguage() throws -> [String: String] {
        var names: [String: String] = [:]
        for entry in self {
            guard LocalizedName.languages.contains(entry.language) else {
                throw OperationError.invalid(
                    field: "language",
                    reason: "“\(entry.language)” is none of \(LocalizedName.languages.joined(separator: ", "))")
            }
            guard names.updateValue(entry.name, forKey: entry.language) == nil else {
                throw OperationError.invalid(field: "language", reason: "“\(entry.language)” is given twice")
            }
        }
        return names
    }
}

extension Act {
    /// Takes from the consents to an app what it may not ask for any more, and records each.
    fileprivate func narrowConsents(to app: App, _ scopes: ScopeSet) throws {
        let narrowed = try Consent.narrow(
            livingOf: app.id, to: scopes, at: now, surroundings: surroundings, in: transaction)
        for one in narrowed {
            if one.left.isEmpty {
                try record([one.consent], to: app, .consentRevoked) { $0.scopes.text }
            } else {
                try record([one.consent], to: app, .consentNarrowed) { "\($0.scopes.text) → \(one.left.text)" }
            }
        }
    }
}
