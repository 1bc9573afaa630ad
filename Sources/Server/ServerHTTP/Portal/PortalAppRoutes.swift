import Administration
import Authorization
import ConsolePages
import Foundation
import Hummingbird
import ServerPages

/// `/developer/teams/…/apps`: the apps of a team.
struct PortalAppRoutes: Sendable {
    let door: PortalDoor
    let baseURL: String
    let issuer: String

    func mount(on router: some RouterMethods<AppContext>) {
        let apps: RouterPath = "developer/teams/{team}/apps"
        router.get("\(apps)", use: list)
        router.get("\(apps)/add", use: showAdd)
        router.post("\(apps)/add", use: add)
        router.get("\(apps)/{app}", use: show)
        router.get("\(apps)/{app}/edit", use: showEdit)
        router.post("\(apps)/{app}/edit", use: edit)
        router.get("\(apps)/{app}/snippets", use: snippets)
        router.get("\(apps)/{app}/notifications", use: notifications)
        router.post("\(apps)/{app}/notifications", use: resend)
        router.get("\(apps)/{app}/icon", use: showIcon)
        router.post("\(apps)/{app}/icon", use: setIcon)
        router.post("\(apps)/{app}/icon/remove", use: removeIcon)
        router.get("\(apps)/{app}/offer", use: showOffer)
        router.post("\(apps)/{app}/offer", use: offer)
        PortalClientRoutes(door: door).mount(on: router)
        for step in Step.allCases {
            router.get("\(apps)/{app}/\(step.rawValue)") { request, context in try await ask(step, request, context) }
            router.post("\(apps)/{app}/\(step.rawValue)") { request, context in try await act(step, request, context) }
        }
    }

    // MARK: Looking

    @Sendable private func list(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context) { visit in
            .page(
                PortalAppsPage(
                    portal: visit.portal, team: try await visit.ask(ShowTeam(team: visit.team)),
                    apps: try await visit.ask(ListApps(team: visit.team)).apps))
        }
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let app = try context.app
        return try await door.open(request, context) { visit in
            .page(PortalAppPage(portal: visit.portal, app: try await visit.ask(ShowApp(app: app))))
        }
    }

    @Sendable private func snippets(_ request: Request, context: AppContext) async throws -> Response {
        let app = try context.app
        return try await door.open(request, context) { visit in
            .page(
                SnippetsPage(
                    portal: visit.portal, app: try await visit.ask(ShowApp(app: app)), baseURL: baseURL,
                    issuer: issuer))
        }
    }

    @Sendable private func notifications(_ request: Request, context: AppContext) async throws -> Response {
        let app = try context.app
        return try await door.open(request, context) { visit in
            .page(
                NotificationsPage(
                    portal: visit.portal, app: try await visit.ask(ShowApp(app: app)),
                    notifications: try await visit.ask(ListNotifications(app: app, limit: 50)).notifications))
        }
    }

    @Sendable private func resend(_ request: Request, context: AppContext) async throws -> Response {
        let app = try context.app
        return try await door.submit(request, context) { visit, input in
            _ = try await visit.perform(ResendNotification(app: app, notification: try input["notification"] ?? ""))
            return .next(request.routedPath, changes: [])
        }
    }

    // MARK: Registering and changing

    @Sendable private func showAdd(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context) { visit in
            // Asked for nothing else, so that somebody who is not in the team sees no form.
            _ = try await visit.ask(ShowTeam(team: visit.team))
            return .page(AppFormPage(portal: visit.portal, app: nil, typed: .init()))
        }
    }

    /// First what was typed is looked at, then it is registered: a mistyped return URL is the most common mistake there is.
    @Sendable private func add(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(
            request, context,
            again: { visit, input, failure in
                AppFormPage(portal: visit.portal, app: nil, typed: try input.app, failure: failure)
            }
        ) { visit, input in
            let typed = try input.app
            let change = CreateApp(
                team: visit.team, name: typed.name, localizedNames: typed.names, clientIDs: typed.clientIDs.entries,
                scopes: try typed.scopes.map(Self.scope), domains: typed.domains.entries,
                returnURLs: typed.returnURLs.entries, nativeReturnURLs: typed.nativeReturnURLs.entries,
                signOutURLs: typed.signOutURLs.entries,
                notificationURL: typed.notificationURL.nonEmpty,
                backChannelLogoutURL: typed.backChannelLogoutURL.nonEmpty, requiresPKCE: typed.requiresPKCE)
            let path = visit.portal.path(of: .apps)
            guard try input.isConfirmed else {
                return .page(
                    ConfirmPage(
                        frame: visit.portal.frame(in: .apps),
                        heading: Sentence("portalForm.confirm", ["app": .text(typed.name)]),
                        parent: ConsoleLink(Sentence("portalApps.heading"), to: path),
                        consequences: typed.sentences, preview: try await visit.preview(change),
                        action: "\(path)/add", inputs: typed.inputs, button: Sentence("portalForm.register")))
            }
            let done = try await visit.perform(change)
            return .next("\(path)/\(done.answer.primaryID)", changes: done.changes)
        }
    }

    @Sendable private func showEdit(_ request: Request, context: AppContext) async throws -> Response {
        let app = try context.app
        return try await door.open(request, context) { visit in
            let record = try await visit.ask(ShowApp(app: app))
            return .page(AppFormPage(portal: visit.portal, app: record, typed: .init(record)))
        }
    }

    /// Scopes that are taken away are taken from the consents of organizations, for good: so that is asked first, of who has
    /// shown a moment ago who they are.
    @Sendable private func edit(_ request: Request, context: AppContext) async throws -> Response {
        let app = try context.app
        return try await door.submit(
            request, context,
            again: { visit, input, failure in
                AppFormPage(
                    portal: visit.portal, app: try await visit.ask(ShowApp(app: app)), typed: try input.app,
                    failure: failure)
            }
        ) { visit, input in
            let (record, typed) = (try await visit.ask(ShowApp(app: app)), try input.app)
            let change = try Self.change(app, from: record, to: typed)
            let path = visit.portal.path(of: record)
            let lost = Set(record.scopes).subtracting(typed.scopes)
            let narrows = !lost.isEmpty && record.connectedOrganizations > 0
            if narrows, try await !visit.isFresh() {
                // The form stays open in its tab, so that nothing has to be typed again.
                return .refusal(
                    AppFormPage(
                        portal: visit.portal, app: record, typed: typed, confirmPath: ConfirmRoutes.path(then: path)))
            }
            if narrows, try !input.isConfirmed {
                return .page(
                    ConfirmPage(
                        frame: visit.portal.frame(in: .apps),
                        heading: Sentence("portalForm.edit", ["app": .text(record.name)]),
                        parent: ConsoleLink(.named(record.name), to: path),
                        consequences: [
                            Sentence(
                                "portalForm.narrows",
                                [
                                    "scopes": .text(lost.sorted().joined(separator: ", ")),
                                    "count": .count(record.connectedOrganizations),
                                ])
                        ], preview: try await visit.preview(change, ifVersion: try input.version),
                        action: "\(path)/edit", inputs: typed.inputs, button: Sentence("console.save"), isFinal: true,
                        warning: Sentence("portalForm.narrowsForGood")))
            }
            let done = try await visit.perform(change, ifVersion: try input.version)
            return .next(path, changes: done.changes)
        }
    }

    private static func change(
        _ app: AppReference, from record: AppRecord, to typed: AppFormPage.Typed
    ) throws -> SetApp {
        var change = SetApp(app: app)
        if typed.name != record.name { change.name = typed.name }
        if typed.names != record.localizedNames { change.localizedNames = typed.names }
        change.addClientIDs = typed.clientIDs.entries.filter { !record.clientIDs.contains($0) }
        if Set(typed.scopes) != Set(record.scopes) { change.scopes = try typed.scopes.map(scope) }
        if typed.domains.entries != record.domains { change.domains = typed.domains.entries }
        let urls = typed.returnURLs.entries
        change.addReturnURLs = urls.filter { !record.returnURLs.contains($0) }
        change.nativeReturnURLs = typed.nativeReturnURLs.entries
        change.removeReturnURLs = record.returnURLs.filter { !urls.contains($0) }
        var clear: [SetApp.OptionalField] = []
        let signOut = typed.signOutURLs.entries
        if signOut.isEmpty { clear.append(.signOutURLs) } else { change.signOutURLs = signOut }
        change.notificationURL = typed.notificationURL.nonEmpty
        if change.notificationURL == nil { clear.append(.notificationURL) }
        change.backChannelLogoutURL = typed.backChannelLogoutURL.nonEmpty
        if change.backChannelLogoutURL == nil { clear.append(.backChannelLogoutURL) }
        change.clear = clear
        change.requiresPKCE = typed.requiresPKCE
        return change
    }

    /// - Throws: ``OperationError/invalid(field:reason:)`` for what is no scope
    private static func scope(_ text: String) throws -> Scope {
        guard let scope = Scope(rawValue: text) else {
            throw OperationError.invalid(field: "scope", reason: "is none that an app can have: \(text)")
        }
        return scope
    }

    // MARK: The icon

    @Sendable private func showIcon(_ request: Request, context: AppContext) async throws -> Response {
        let app = try context.app
        return try await door.open(request, context) { visit in .page(try await Self.iconPage(app, visit)) }
    }

    @Sendable private func setIcon(_ request: Request, context: AppContext) async throws -> Response {
        let app = try context.app
        return try await door.receive(
            request, context, bytesMax: PictureForm.formBytesMax,
            again: { try await Self.iconPage(app, $0, failure: $1) }
        ) { visit, upload in
            // Asked before anything of the file is read, so that somebody who is not in the team sends none.
            let record = try await visit.ask(ShowApp(app: app))
            let (fields, files) = try await upload.begin()
            let file = try await files.file(bytesMax: PictureForm.formBytesMax)
            let done = try await visit.perform(
                SetAppIcon(app: app, icon: file), ifVersion: try ConsoleInput(fields).version)
            return .next(visit.portal.path(of: record), changes: done.changes)
        }
    }

    @Sendable private func removeIcon(_ request: Request, context: AppContext) async throws -> Response {
        let app = try context.app
        return try await door.submit(
            request, context, again: { visit, _, failure in try await Self.iconPage(app, visit, failure: failure) }
        ) { visit, input in
            let done = try await visit.perform(SetAppIcon(app: app, icon: nil), ifVersion: try input.version)
            return .next(visit.portal.path(of: done.answer), changes: done.changes)
        }
    }

    private static func iconPage(
        _ app: AppReference, _ visit: PortalDoor.Visit, failure: OperationFailure? = nil
    ) async throws -> AppIconPage {
        AppIconPage(portal: visit.portal, app: try await visit.ask(ShowApp(app: app)), failure: failure)
    }

    // MARK: Handing over

    @Sendable private func showOffer(_ request: Request, context: AppContext) async throws -> Response {
        let app = try context.app
        return try await door.open(request, context) { visit in
            .page(OfferAppPage(portal: visit.portal, app: try await visit.ask(ShowApp(app: app))))
        }
    }

    @Sendable private func offer(_ request: Request, context: AppContext) async throws -> Response {
        let app = try context.app
        return try await door.submit(
            request, context,
            again: { visit, input, failure in
                OfferAppPage(
                    portal: visit.portal, app: try await visit.ask(ShowApp(app: app)), typed: try input["team"] ?? "",
                    failure: failure)
            }
        ) { visit, input in
            let done = try await visit.perform(
                OfferApp(app: app, team: try input["team"] ?? ""), ifVersion: try input.version)
            return .next(
                "\(visit.portal.path(of: .apps))/\(try context.pathInput("app"))", changes: done.changes)
        }
    }

    /// What is done on a press of a button, after the page has said what follows.
    private enum Step: String, CaseIterable {
        case withdraw, accept, decline, remove

        /// Whether somebody with a borrowed browser must not do it. A team that has declined an app is offered it again.
        var confirmsIdentity: Bool { self == .accept || self == .remove }
    }

    private func ask(_ step: Step, _ request: Request, _ context: AppContext) async throws -> Response {
        let (app, id) = (try context.app, try context.pathInput("app"))
        return try await door.open(request, context, confirmsIdentity: step.confirmsIdentity) { visit in
            let preview =
                switch step {
                case .withdraw: try await visit.preview(WithdrawOffer(app: app))
                case .accept: try await visit.preview(AcceptApp(app: app))
                case .decline: try await visit.preview(DeclineApp(app: app))
                case .remove: try await visit.preview(RemoveApp(app: app))
                }
            let path = visit.portal.path(of: .apps)
            return .page(
                ConfirmPage(
                    frame: visit.portal.frame(in: .apps),
                    heading: Sentence("portalStep.\(step.rawValue)", ["app": .text(id)]),
                    parent: ConsoleLink(Sentence("portalApps.heading"), to: path),
                    consequences: [Sentence("portalStep.\(step.rawValue)Text")], preview: preview,
                    action: "\(path)/\(id)/\(step.rawValue)", button: Sentence("portalStep.\(step.rawValue)Button"),
                    isFinal: step != .withdraw))
        }
    }

    private func act(_ step: Step, _ request: Request, _ context: AppContext) async throws -> Response {
        let (app, id) = (try context.app, try context.pathInput("app"))
        return try await door.submit(request, context, confirmsIdentity: step.confirmsIdentity) { visit, input in
            let version = try input.version
            let path = visit.portal.path(of: .apps)
            switch step {
            case .withdraw:
                let done = try await visit.perform(WithdrawOffer(app: app), ifVersion: version)
                return .next("\(path)/\(id)", changes: done.changes)
            case .accept:
                let done = try await visit.perform(AcceptApp(app: app), ifVersion: version)
                return .next("\(path)/\(id)", changes: done.changes)
            case .decline:
                _ = try await visit.perform(DeclineApp(app: app), ifVersion: version)
                return .next(path, changes: [])
            case .remove:
                _ = try await visit.perform(RemoveApp(app: app), ifVersion: version)
                return .next(path, changes: [])
            }
        }
    }
}

extension AppContext {
    /// The app in the path, by a client id.
    var app: AppReference {
        get throws { AppReference(try pathInput("app")) }
    }
}

extension String {
    /// The lines that say something.
    fileprivate var entries: [String] {
        split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}

extension ConsoleInput {
    /// What was typed about an app.
    fileprivate var app: AppFormPage.Typed {
        get throws {
            var typed = AppFormPage.Typed()
            typed.name = try self["name"] ?? ""
            for language in Language.allCases {
                typed.localizedNames[language.rawValue] = try self[AppFormPage.input(of: language)]
            }
            typed.clientIDs = try self["clientIDs"] ?? ""
            typed.scopes = all("scopes").filter { !$0.isEmpty }
            typed.domains = try self["domains"] ?? ""
            typed.returnURLs = try self["returnURLs"] ?? ""
            typed.nativeReturnURLs = try self["nativeReturnURLs"] ?? ""
            typed.signOutURLs = try self["signOutURLs"] ?? ""
            typed.notificationURL = try self["notificationURL"] ?? ""
            typed.backChannelLogoutURL = try self["backChannelLogoutURL"] ?? ""
            typed.requiresPKCE = try self["requiresPKCE"] == "yes"
            return typed
        }
    }
}

extension AppFormPage.Typed {
    /// As fields that go along with the confirmation.
    fileprivate var inputs: [(String, String)] {
        [
            ("name", name), ("clientIDs", clientIDs), ("domains", domains), ("returnURLs", returnURLs),
            ("nativeReturnURLs", nativeReturnURLs), ("signOutURLs", signOutURLs), ("notificationURL", notificationURL),
            ("backChannelLogoutURL", backChannelLogoutURL), ("requiresPKCE", requiresPKCE ? "yes" : ""),
        ] + scopes.map { ("scopes", $0) }
            + Language.allCases.map { (AppFormPage.input(of: $0), localizedNames[$0.rawValue] ?? "") }
    }

    /// All that is about to be registered, for a last look. The name is in the heading.
    fileprivate var sentences: [Sentence] {
        var sentences = Language.allCases.compactMap { language in
            localizedNames[language.rawValue].map {
                Sentence("portalForm.withName", ["language": .text(language.endonym), "name": .text($0)])
            }
        }
        sentences += [
            Sentence("portalForm.withClientIDs", ["list": .text(clientIDs.entries.joined(separator: ", "))]),
            Sentence("portalForm.withScopes", ["list": .text(scopes.joined(separator: ", "))]),
        ]
        let domains = self.domains.entries
        if !domains.isEmpty {
            sentences.append(Sentence("portalForm.withDomains", ["list": .text(domains.joined(separator: ", "))]))
        }
        sentences += (returnURLs.entries + nativeReturnURLs.entries).map {
            Sentence("portalForm.withReturnURL", ["url": .text($0)])
        }
        sentences += signOutURLs.entries.map { Sentence("portalForm.withSignOutURL", ["url": .text($0)]) }
        if let url = notificationURL.nonEmpty {
            sentences.append(Sentence("portalForm.withNotificationURL", ["url": .text(url)]))
        }
        if let url = backChannelLogoutURL.nonEmpty {
            sentences.append(Sentence("portalForm.withBackChannelLogoutURL", ["url": .text(url)]))
        }
        if requiresPKCE { sentences.append(Sentence("portalForm.requiresPKCE")) }
        return sentences
    }
}
