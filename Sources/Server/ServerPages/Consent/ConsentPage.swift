import Foundation

/// Organizational data sharing: one person decides for the organization whether an app may read its roster.
///
/// Posts `decision` = `allow` or `deny`. The page cannot be allowed by Enter alone: no button takes the focus, the form
/// has no text field, and its first, hence default, submit button is Don’t Allow.
package struct ConsentPage: Page {
    package struct Scope: Sendable {
        package let scope: ConsentScope
        /// The number of people or classes that the scope concerns today.
        package let count: Int

        package init(_ scope: ConsentScope, count: Int) {
            self.scope = scope
            self.count = count
        }
    }

    /// Whose data the consent is about.
    package enum Subject: Sendable {
        /// A real organization.
        case organization(Badge)
        /// The synthetic school, for the developers of the app. No real person is in it.
        case testSchool
    }

    package let app: RequestingApp
    package let subject: Subject
    package let person: SignedInPerson
    package let scopes: [Scope]
    /// The scopes that the organization has granted the app so far; nil if it is not connected.
    package let existingScopes: [ConsentScope]?
    /// The last day of what it has granted so far; nil for no end.
    package let formerLastDay: Date?
    /// The last day if it is allowed now; nil for no end.
    package let lastDay: Date?
    /// Host of the redirect URI.
    package let returnHost: String
    package let decision: Form
    /// Signs out and comes back to this request; posts without fields of its own.
    package let switchAccount: Form

    package init(
        app: RequestingApp,
        subject: Subject,
        person: SignedInPerson,
        scopes: [Scope],
        existingScopes: [ConsentScope]?,
        formerLastDay: Date? = nil,
        lastDay: Date? = nil,
        returnHost: String,
        decision: Form,
        switchAccount: Form
    ) {
        self.app = app
        self.subject = subject
        self.person = person
        self.scopes = scopes
        self.existingScopes = existingScopes
        self.formerLastDay = formerLastDay
        self.lastDay = lastDay
        self.returnHost = returnHost
        self.decision = decision
        self.switchAccount = switchAccount
    }

    package var view: View {
        var content: Content = [
            "app": .text(app.name),
            "team": .text(app.teamName),
            "appBadge": .group(app.badge.content),
            "person": .group(person.content),
            "host": .text(returnHost),
            "users": .group(ifAny: group(for: .users)),
            "classes": .group(ifAny: group(for: .classes)),
            "isClassesAlone": .flag(!has(.users)),
            "renewal": .flag(existingScopes.map(Set.init) == requested),
            "change": .group(ifAny: change),
            "hasFormerEnd": .flag(formerLastDay != nil),
            "formerLastDay": formerLastDay.map(Value.day) ?? .absent,
            "isEnding": .flag(lastDay != nil),
            "lastDay": lastDay.map(Value.day) ?? .absent,
            "decision": .group(decision.content),
            "switchAccount": .group(switchAccount.content),
        ]
        switch subject {
        case .organization(let organization):
            content["organization"] = .text(organization.name)
            content["organizationBadge"] = .group(organization.content)
            content["isTest"] = .flag(false)
            return View("consent", heading: Sentence("consent.heading"), content: content, owner: organization)
        case .testSchool:
            content["isTest"] = .flag(true)
            return View("consent", heading: Sentence("consent.headingTest"), content: content)
        }
    }

    private var requested: Set<ConsentScope> { Set(scopes.map(\.scope)) }

    private func has(_ scope: ConsentScope) -> Bool { requested.contains(scope) }

    private func group(for scope: ConsentScope) -> Content? {
        scopes.first { $0.scope == scope }.map { asked in
            ["concerned": .sentence(Sentence("consent.\(scope)Count", ["count": .count(asked.count)]))]
        }
    }

    /// The scopes before and after, if consenting would change them.
    private var change: Content? {
        guard let existingScopes, Set(existingScopes) != requested else { return nil }
        let titles = { (scopes: Set<ConsentScope>) -> Value in
            .list(ConsentScope.allCases.filter(scopes.contains).map { ["title": .sentence($0.title)] })
        }
        return ["before": titles(Set(existingScopes)), "after": titles(requested)]
    }
}
