import Authorization

/// Whether an app gets data of a person on one of the two ways, and why.
package struct AccessVerdict: Codable, Equatable, Sendable {
    package enum Reason: String, Codable, CaseIterable, Sendable {
        /// The person has signed in and has allowed it.
        case consented
        /// The person may sign in and has not done so.
        case notSignedInYet = "not-signed-in-yet"
        /// The organization has allowed the app to read, and the app reads people or classes.
        case connected
        case notConnected = "not-connected"
        /// The organization has allowed the app to read something else: classes, in none of which the person is.
        case inNoClass = "in-no-class"
        case appRemoved = "app-removed"
        case notListedForSignIn = "not-listed-for-sign-in"
        case notListedForDataSharing = "not-listed-for-data-sharing"
        case accountDeactivated = "account-deactivated"
        case organizationClosed = "organization-closed"
        /// The organization has left the person out of what the app sees.
        case leftOut = "left-out"
        /// The person is in no place, grade, role or class that the organization shares with the app.
        case notShared = "not-shared"
        case personalAccount = "personal-account"
        case organizationIsNoSchool = "organization-is-no-school"
    }

    /// Whether the app gets anything, now or when the person signs in.
    package let isAllowed: Bool
    package let reason: Reason
    /// The reason as a sentence for people.
    package let explanation: String
    /// What would change it, as a sentence for people.
    package let remedy: String
    /// What the app gets, by the names on the wire. For ``Reason/notSignedInYet``: what it would get at most, if the
    /// person signed in and allowed it.
    package let fields: [String]
    /// What was allowed, separated by spaces; nil if nothing was.
    package let scopes: String?
    /// In how many of the classes that the app can read the person is; nil if it reads no classes.
    package let classes: Int?
    /// Which version of the organization's rule has refused; nil if no rule did.
    package let ruleVersion: Int?

    struct Names {
        let person: String
        let app: String
        let organization: String
    }

    private init(
        _ reason: Reason, isAllowed: Bool = false, _ explanation: String, remedy: String, fields: [String] = [],
        scopes: ScopeSet? = nil, classes: Int? = nil, ruleVersion: Int? = nil
    ) {
        self.isAllowed = isAllowed
        self.reason = reason
        self.explanation = explanation
        self.remedy = remedy
        self.fields = fields
        self.scopes = scopes?.text
        self.classes = classes
        self.ruleVersion = ruleVersion
    }
}

extension AccessVerdict {
    init(_ signIn: AccessExplanation.SignIn, _ names: Names) {
        switch signIn {
        case .refused(.appRemoved): self = .appRemoved(names)
        case .refused(.accountClosed):
            self.init(
                .accountDeactivated,
                "The account of \(names.person) is deactivated, so that nobody can sign in with it.",
                remedy: "Reactivate the account.")
        case .refused(.organizationClosed):
            self.init(
                .organizationClosed, "\(names.organization) is closed, so that nobody of it can sign in.",
                remedy: "The operator of this server opens \(names.organization) again.")
        case .refused(.appNotListed(let version)): self = .notListedForSignIn(names, version)
        case .possible(let scopes):
            self.init(
                .notSignedInYet, isAllowed: true,
                "\(names.person) may sign in to \(names.app), and shares nothing by that at present.",
                remedy: "\(names.person) signs in to \(names.app), which is told this at most. "
                    + "Or take \(names.app) off the list of apps for signing in, so that nobody can.",
                fields: Self.told(scopes))
        case .consented(let scopes, let hidesEmail):
            self.init(
                .consented, isAllowed: true,
                "\(names.person) has signed in to \(names.app) and has allowed what it is told"
                    + (hidesEmail ? "; the address is a hidden one of the app." : "."),
                remedy: "\(names.person) disconnects \(names.app) on the account page. "
                    + "Or take \(names.app) off the list of apps for signing in.",
                fields: Self.told(scopes), scopes: scopes)
        }
    }

    init(_ roster: AccessExplanation.Roster, _ names: Names) {
        switch roster {
        case .personalAccount:
            self.init(
                .personalAccount, "\(names.person) has a personal account, which is in no organization's roster.",
                remedy: "Nothing: personal accounts are never in a roster.")
        case .refused(.appRemoved): self = .appRemoved(names)
        case .refused(.organizationIsNoSchool):
            self.init(
                .organizationIsNoSchool, "\(names.organization) is a business, and only schools share rosters.",
                remedy: "Nothing: a business has no roster to share.")
        case .refused(.signInNotAllowed(let version)): self = .notListedForSignIn(names, version)
        case .refused(.appNotListed(let version)):
            self.init(
                .notListedForDataSharing,
                "\(names.organization) lets only listed apps read its people and classes, and \(names.app) is not "
                    + "listed.",
                remedy: "Put \(names.app) on the list of apps for data sharing.", ruleVersion: version)
        case .notConnected:
            self.init(
                .notConnected,
                "Nobody has allowed \(names.app) to read the people and classes of \(names.organization).",
                remedy: "An Administrator signs in to \(names.app) and connects it with \(names.organization).")
        case .deactivated:
            self.init(
                .accountDeactivated,
                "The account of \(names.person) is deactivated, and apps do not see such accounts.",
                remedy: "Reactivate the account.")
        case .leftOut:
            self.init(
                .leftOut, "\(names.organization) has left \(names.person) out of what \(names.app) sees.",
                remedy: "Put \(names.person) back.")
        case .notShared:
            self.init(
                .notShared,
                "\(names.organization) shares only some places, grades, roles or classes with \(names.app), and "
                    + "\(names.person) is in none of them.",
                remedy: "Share a place, grade, role or class of \(names.person) with \(names.app).")
        case .read(let fields, let classes, let scopes):
            let ids = classes > 0 ? ["instructorIds or studentIds"] : []
            let isAllowed = !fields.isEmpty || classes > 0
            self.init(
                isAllowed ? .connected : .inNoClass, isAllowed: isAllowed,
                isAllowed
                    ? "\(names.organization) has connected \(names.app), which reads "
                        + (fields.isEmpty ? "classes with ids of their members." : "people.")
                    : "\(names.organization) lets \(names.app) read classes only, and \(names.person) is in none.",
                remedy: isAllowed
                    ? "Leave \(names.person) out of what \(names.app) sees. Or revoke the consent of "
                        + "\(names.organization), which is about all people."
                    : "Put \(names.person) into a class that \(names.app) reads.",
                fields: fields + ids, scopes: scopes, classes: scopes.readsClasses ? classes : nil)
        }
    }

    private static func appRemoved(_ names: Names) -> AccessVerdict {
        AccessVerdict(
            .appRemoved, "\(names.app) was removed from this server.",
            remedy: "The operator of this server registers the app anew.")
    }

    private static func notListedForSignIn(_ names: Names, _ version: Int) -> AccessVerdict {
        AccessVerdict(
            .notListedForSignIn,
            "\(names.organization) lets its people sign in to listed apps only, and \(names.app) is not listed.",
            remedy: "Put \(names.app) on the list of apps for signing in.", ruleVersion: version)
    }

    private static func told(_ scopes: ScopeSet) -> [String] { ["sub"] + Claim.told(with: scopes).map(\.rawValue) }
}
