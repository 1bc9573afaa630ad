import Administration
import Authorization
import Foundation
import ServerPages

/// The apps of a team, and those that others offer it.
package struct PortalAppsPage: PortalPage {
    package let portal: Portal
    package let team: TeamRecord
    package let apps: [AppRecord]

    package init(portal: Portal, team: TeamRecord, apps: [AppRecord]) {
        self.portal = portal
        self.team = team
        self.apps = apps
    }

    private var path: String { portal.path(of: .apps) }

    package var section: PortalSection? { .apps }
    package var heading: Sentence { Sentence("portalApps.heading") }
    package var lead: Sentence? {
        Sentence("portalApps.lead", ["team": .text(team.name), "id": .text(team.id)])
    }
    package var actions: [ConsoleLink] { [ConsoleLink(Sentence("portalApps.add"), to: "\(path)/add")] }

    package var parts: [Part] {
        var parts: [Part] = []
        for offer in team.offers {
            parts.append(
                .message(
                    .notice,
                    Sentence(
                        "portalApps.offered",
                        ["app": .text(offer.app), "team": .text(offer.from), "day": .day(offer.until)]),
                    ConsoleLink(Sentence("portalApps.accept"), to: "\(path)/\(offer.clientID)/accept")))
            parts.append(
                .links([ConsoleLink(Sentence("portalApps.decline"), to: "\(path)/\(offer.clientID)/decline")]))
        }
        parts.append(
            .table(
                Table(
                    heading,
                    [
                        .init(Sentence("portalApps.name")), .init(Sentence("portalApps.clientID")),
                        .init(Sentence("portalApps.organizations"), isNumber: true),
                        .init(Sentence("portalApps.people"), isNumber: true),
                    ],
                    apps.map { app in
                        .init([
                            .link(app.name, to: "\(path)/\(app.primaryID)", app.badge), .address(app.primaryID),
                            .count(app.connectedOrganizations), .count(app.people),
                        ])
                    }, empty: Sentence("portalApps.none"),
                    emptyLink: ConsoleLink(Sentence("portalApps.add"), to: "\(path)/add"))))
        return parts
    }
}

extension AppRecord {
    /// The primary App ID.
    package var primaryID: String { clientIDs.first ?? "" }
    var badge: Badge { Badge(name: name, id: primaryID, picture: iconID) }
}

/// An app: what is registered, and what can be done with it.
package struct PortalAppPage: PortalPage {
    package let portal: Portal
    package let app: AppRecord

    package init(portal: Portal, app: AppRecord) {
        self.portal = portal
        self.app = app
    }

    private var path: String { portal.path(of: app) }

    package var section: PortalSection? { .apps }
    package var heading: Sentence { .named(app.name) }
    package var parent: ConsoleLink? { ConsoleLink(Sentence("portalApps.heading"), to: portal.path(of: .apps)) }
    package var badge: Badge? { app.badge }
    package var actions: [ConsoleLink] {
        [
            ConsoleLink(Sentence("portalApp.edit"), to: "\(path)/edit"),
            ConsoleLink(Sentence("portalApp.snippets"), to: "\(path)/snippets"),
            ConsoleLink(Sentence("portalApp.try"), to: "\(path)/try"),
        ]
    }

    package var parts: [Part] {
        var parts: [Part] = []
        if let offeredTo = app.offeredTo {
            parts.append(
                .message(
                    .notice, Sentence("portalApp.offeredTo", ["team": .text(offeredTo)]),
                    ConsoleLink(Sentence("portalApp.withdraw"), to: "\(path)/withdraw")))
        }
        if app.returnURLs.isEmpty {
            parts.append(.message(.warning, Sentence("portalApp.noReturnURL")))
        }
        parts += [
            .facts(facts),
            .heading(Sentence("portalApp.clients"), Sentence("portalApp.clientsLead")),
            .table(clients),
            .heading(Sentence("portalApp.more")),
            .links([
                ConsoleLink(Sentence("portalApp.icon"), to: "\(path)/icon"),
                ConsoleLink(Sentence("portalApp.notifications"), to: "\(path)/notifications"),
                ConsoleLink(Sentence("portalApp.offer"), to: "\(path)/offer"),
                ConsoleLink(Sentence("portalApp.remove"), to: "\(path)/remove"),
            ]),
        ]
        return parts
    }

    private var facts: [Fact] {
        func list(_ key: String, _ values: [String]) -> [Fact] {
            values.map { Fact(Sentence("portalApp.\(key)"), .exact($0)) }
        }
        let names = app.localizedNames.compactMap { one in
            Language(rawValue: one.language).map { Fact(AppFormPage.label(of: $0), .text(one.name)) }
        }
        return names + [
            Fact(Sentence("portalApp.scopes"), .chips(app.scopes.map { .named($0) }))
        ] + list("domain", app.domains) + list("returnURL", app.returnURLs) + list("signOutURL", app.signOutURLs)
            + list("notificationURL", app.notificationURL.map { [$0] } ?? [])
            + list("backChannelLogoutURL", app.backChannelLogoutURL.map { [$0] } ?? []) + [
                Fact(
                    Sentence("portalApp.pkce"), .sentence(Sentence(app.requiresPKCE ? "portalApp.yes" : "portalApp.no"))
                ),
                Fact(Sentence("portalApps.organizations"), .count(app.connectedOrganizations)),
                Fact(Sentence("portalApps.people"), .count(app.people)),
                Fact(Sentence("portalApp.created"), .day(app.createdAt)),
            ]
    }

    private var clients: Table {
        // Columns that would be empty are left out.
        let (haveSecrets, areSeveral) = (app.clients.contains(where: \.authentication.hasSecret), app.clients.count > 1)
        return Table(
            Sentence("portalApp.clients"),
            [.init(Sentence("portalApps.clientID")), .init(Sentence("portalApp.authentication"))]
                + (haveSecrets ? [.init(Sentence("portalApp.action"))] : [])
                + (areSeveral ? [.init(Sentence("portalApp.removal"))] : []),
            app.clients.map { client in
                .init(
                    [
                        .link(client.clientID, to: "\(path)/clients/\(client.clientID)"),
                        .sentence(client.authentication.words),
                    ] + (haveSecrets ? [secret(of: client)] : []) + (areSeveral ? [removal(of: client)] : []))
            }, empty: Sentence("portalApps.none"))
    }

    private func secret(of client: ClientRecord) -> Cell {
        client.authentication.hasSecret
            ? .phrase(Sentence("portalApp.secret"), to: "\(path)/clients/\(client.clientID)/secret") : .nothing
    }

    /// The link to remove a client; none for the primary client, which stays.
    private func removal(of client: ClientRecord) -> Cell {
        client.clientID == app.primaryID
            ? .nothing : .phrase(Sentence("portalApp.removeClient"), to: "\(path)/clients/\(client.clientID)/remove")
    }

    static let sentences =
        [
            "domain", "returnURL", "signOutURL", "notificationURL", "backChannelLogoutURL", "yes", "no",
        ].map {
            Sentence("portalApp.\($0)")
        } + Client.Authentication.allCases.map(\.words)
}

extension Client.Authentication {
    var words: Sentence { Sentence("portalApp.authentication_\(rawValue)") }

    /// Whether the client sends a secret that this server has made.
    package var hasSecret: Bool { self == .secret }
}

/// The form by which an app is registered or changed.
package struct AppFormPage: PortalPage {
    /// What was typed, by the names of the fields.
    package struct Typed: Sendable {
        package var name = ""
        /// By the tag of the language.
        package var localizedNames: [String: String] = [:]
        package var clientIDs = ""
        package var scopes: [String] = []
        package var domains = ""
        package var returnURLs = ""
        package var nativeReturnURLs = ""
        package var signOutURLs = ""
        package var notificationURL = ""
        package var backChannelLogoutURL = ""
        package var requiresPKCE = false

        package init() {}

        /// The names that were typed, as an operation takes them.
        package var names: [LocalizedName] {
            localizedNames.map(LocalizedName.init).sorted { $0.language < $1.language }
        }

        package init(_ app: AppRecord) {
            name = app.name
            localizedNames = Dictionary(uniqueKeysWithValues: app.localizedNames.map { ($0.language, $0.name) })
            clientIDs = app.clientIDs.joined(separator: "\n")
            scopes = app.scopes
            domains = app.domains.joined(separator: "\n")
            returnURLs = app.returnURLs.joined(separator: "\n")
            signOutURLs = app.signOutURLs.joined(separator: "\n")
            notificationURL = app.notificationURL ?? ""
            backChannelLogoutURL = app.backChannelLogoutURL ?? ""
            requiresPKCE = app.requiresPKCE
        }
    }

    package let portal: Portal
    /// Nil for a new app.
    package let app: AppRecord?
    package let typed: Typed
    package let failure: OperationFailure?
    /// Where the person shows who they are before what was typed can be saved; nil if they need not.
    package let confirmPath: String?

    package init(
        portal: Portal, app: AppRecord?, typed: Typed, failure: OperationFailure? = nil, confirmPath: String? = nil
    ) {
        self.portal = portal
        self.app = app
        self.typed = typed
        self.failure = failure
        self.confirmPath = confirmPath
    }

    package var section: PortalSection? { .apps }
    package var heading: Sentence {
        app.map { Sentence("portalForm.edit", ["app": .text($0.name)]) } ?? Sentence("portalForm.add")
    }
    package var lead: Sentence? { app == nil ? Sentence("portalForm.addLead") : Sentence("portalForm.editLead") }
    package var parent: ConsoleLink? {
        app.map { ConsoleLink(.named($0.name), to: portal.path(of: $0)) }
            ?? ConsoleLink(Sentence("portalApps.heading"), to: portal.path(of: .apps))
    }

    package var parts: [Part] {
        let action = app.map { "\(portal.path(of: $0))/edit" } ?? "\(portal.path(of: .apps))/add"
        let confirmation = confirmPath.map {
            Part.message(
                .warning, Sentence("portalForm.confirmFirst"),
                ConsoleLink(Sentence("portalForm.confirmLink"), to: $0, opensTab: true))
        }
        return Part.refusals(failure) + (confirmation.map { [$0] } ?? []) + [
            .form(
                ConsoleForm(
                    .init(action, app.map { [("version", $0.version)] } ?? []), fields,
                    button: Sentence(app == nil ? "portalForm.review" : "console.save"),
                    cancel: parent.map { .cancel(to: $0.path) }))
        ]
    }

    private var fields: [ConsoleField] {
        func field(
            _ name: String, _ kind: ConsoleField.Kind, _ value: String, isRequired: Bool = false
        ) -> ConsoleField {
            ConsoleField(
                name, kind, Sentence("portalForm.\(name)"), value: value, hint: Sentence("portalForm.\(name)Hint"),
                isRequired: isRequired)
        }
        let names = Language.allCases.map {
            ConsoleField(
                Self.input(of: $0), .text, Self.label(of: $0), value: typed.localizedNames[$0.rawValue] ?? "",
                hint: Sentence("portalForm.nameInHint"))
        }
        return [field("name", .text, typed.name, isRequired: true)] + names + [
            field("clientIDs", .lines, typed.clientIDs, isRequired: true),
            ConsoleField(
                "scopes", .boxes(Scope.registrable.map { .init($0.rawValue, .named($0.rawValue), $0.words) }),
                Sentence("portalForm.scopes"), values: typed.scopes.isEmpty ? [""] : typed.scopes,
                hint: Sentence("portalForm.scopesHint")),
            field("domains", .lines, typed.domains),
            field("returnURLs", .lines, typed.returnURLs),
            field("nativeReturnURLs", .lines, typed.nativeReturnURLs),
            field("signOutURLs", .lines, typed.signOutURLs),
            field("notificationURL", .verbatim, typed.notificationURL),
            field("backChannelLogoutURL", .verbatim, typed.backChannelLogoutURL),
            ConsoleField(
                "requiresPKCE", .boxes([.init("yes", Sentence("portalForm.requiresPKCE"))]),
                Sentence("portalApp.pkce"), values: [typed.requiresPKCE ? "yes" : ""]),
        ]
    }

    /// The input for the name in a language.
    package static func input(of language: Language) -> String { "name_\(language.rawValue)" }

    static func label(of language: Language) -> Sentence {
        Sentence("portalForm.nameIn", ["language": .text(language.endonym)])
    }

    static let sentences =
        [
            "name", "clientIDs", "domains", "returnURLs", "nativeReturnURLs", "signOutURLs", "notificationURL",
            "backChannelLogoutURL",
        ]
        .flatMap { [Sentence("portalForm.\($0)"), Sentence("portalForm.\($0)Hint")] }
        + Scope.registrable.map(\.words) + [Sentence("portalForm.review"), Sentence("portalForm.add")]
}

extension Scope {
    /// What the scope lets an app read, in words.
    var words: Sentence { Sentence("portalScope.\(rawValue.replacing(".", with: "_"))") }
}

/// What is shown once: a client's secret, or the code of an invitation.
package struct ShownOncePage: PortalPage {
    package let portal: Portal
    package let section: PortalSection?
    package let heading: Sentence
    package let lead: Sentence?
    package let value: String
    package let back: ConsoleLink

    package init(
        portal: Portal, section: PortalSection, heading: Sentence, lead: Sentence, value: String, back: ConsoleLink
    ) {
        self.portal = portal
        self.section = section
        self.heading = heading
        self.lead = lead
        self.value = value
        self.back = back
    }

    package var parts: [Part] { [.code(value), .links([back])] }
}

/// The notifications of an app: which have arrived, and which have not.
package struct NotificationsPage: PortalPage {
    package let portal: Portal
    package let app: AppRecord
    package let notifications: [NotificationRecord]

    package init(portal: Portal, app: AppRecord, notifications: [NotificationRecord]) {
        self.portal = portal
        self.app = app
        self.notifications = notifications
    }

    private var path: String { portal.path(of: app) }

    package var section: PortalSection? { .apps }
    package var heading: Sentence { Sentence("portalNotifications.heading") }
    package var lead: Sentence? {
        app.notificationURL.map { Sentence("portalNotifications.lead", ["url": .text($0)]) }
            ?? Sentence("portalNotifications.noURL")
    }
    package var parent: ConsoleLink? { ConsoleLink(.named(app.name), to: path) }
    package var parts: [Part] {
        [
            .table(
                Table(
                    heading,
                    [
                        .init(Sentence("portalNotifications.event")), .init(Sentence("portalNotifications.state")),
                        .init(Sentence("portalNotifications.attempts"), isNumber: true),
                        .init(Sentence("portalNotifications.day")), .init(Sentence("portalNotifications.error")),
                        .init(Sentence("portalApp.action")),
                    ],
                    notifications.map { one in
                        .init([
                            .text(one.type ?? one.id), .mark(one.state.tone, one.state.words), .count(one.attempts),
                            .day(one.createdAt), one.lastError.map(Cell.text) ?? .nothing,
                            // What the others said is not stored any more.
                            one.state == .waiting
                                ? .button(
                                    Sentence("portalNotifications.resend"),
                                    .init("\(path)/notifications", [("notification", one.id)])) : .nothing,
                        ])
                    }, empty: Sentence("portalNotifications.none")))
        ]
    }

    static let sentences = LoggedNotification.State.allCases.map(\.words)
}

extension LoggedNotification.State {
    var words: Sentence { Sentence("portalNotifications.state_\(rawValue.sentenceName)") }

    var tone: Part.MessageTone {
        switch self {
        case .delivered: .success
        case .waiting: .notice
        case .givenUp: .danger
        }
    }
}
