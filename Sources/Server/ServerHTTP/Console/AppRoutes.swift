import Administration
import Authorization
import ConsolePages
import Directory
import Foundation
import Ground
import Hummingbird
import ServerPages

/// `/manager/apps`: the apps that read people and classes, what they are shown, and the end of it.
struct AppRoutes: Sendable {
    let door: ConsoleDoor
    let sendsMail: Bool

    private static let path = ConsoleSection.apps.path
    /// How many calls the page of an app has.
    private static let readingsShown = 20

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager/apps", use: list)
        router.get("manager/apps/term", use: showTerm)
        router.post("manager/apps/term", use: setTerm)
        router.get("manager/apps/{app}", use: show)
        router.get("manager/apps/{app}/limit", use: showLimit)
        router.post("manager/apps/{app}/limit", use: limit)
        router.get("manager/apps/{app}/renew", use: askRenewal)
        router.post("manager/apps/{app}/renew", use: renew)
        router.get("manager/apps/{app}/revoke", use: askRevoking)
        router.post("manager/apps/{app}/revoke", use: revoke)
        router.get("manager/apps/{app}/sharing", use: showSharing)
        router.post("manager/apps/{app}/sharing", use: setSharing)
        router.post("manager/apps/{app}/leave-out", use: leaveOut)
        router.post("manager/apps/{app}/put-back", use: putBack)
        router.get("manager/apps/{app}/view", use: view)
        router.get("manager/apps/{app}/why", use: explain)
    }

    private static func path(of number: Int64) -> String { "\(path)/\(number)" }
    private static func reference(_ number: Int64) -> AppReference { AppReference("app:\(number)") }

    // MARK: The list

    @Sendable private func list(_ request: Request, context: AppContext) async throws -> Response {
        let input = ConsoleInput(try request.queryParameters())
        return try await door.open(request, context, in: .apps) { visit in
            try check(visit)
            let showsEnded = try input["ended"] == "yes"
            let found = try await visit.ask(ListConsents(onlyAlive: !showsEnded))
            return .page(
                AppsPage(
                    desk: visit.desk,
                    consents: showsEnded ? found.consents.filter { $0.revokedAt != nil } : found.consents,
                    showsEnded: showsEnded, term: found.term))
        }
    }

    @Sendable private func showTerm(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .apps) { visit in
            try check(visit)
            return .page(
                ConsentTermPage(desk: visit.desk, term: try await visit.ask(ListConsents(onlyAlive: true)).term))
        }
    }

    @Sendable private func setTerm(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(
            request, context, in: .apps, from: AppsPage.termPath,
            again: { visit, input, failure in
                ConsentTermPage(
                    desk: visit.desk, term: try await visit.ask(ListConsents(onlyAlive: true)).term,
                    typed: try Self.term(input), failure: failure)
            }
        ) { visit, input in
            try check(visit)
            let done = try await visit.perform(
                SetConsentTerm(ends: try Self.term(input)), ifVersion: try input.version)
            return .next(Self.path, changes: done.changes)
        }
    }

    private static func term(_ input: ConsoleInput) throws -> String {
        switch try input.value("kind", as: ConsentTermPage.Kind.self) {
        case .day, nil: try input["day"] ?? ""
        case .year: "year"
        case .unlimited: "unlimited"
        }
    }

    // MARK: One app

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let number = try context.pathNumber("app")
        return try await door.open(request, context, in: .apps) { visit in
            try check(visit)
            let sharing = try await visit.ask(ShowSharing(app: Self.reference(number)))
            return .page(
                AppPage(
                    desk: visit.desk, sharing: sharing, consent: try await consent(of: number, visit),
                    readings: visit.desk.mayEverywhere(.readAudit) ? try await readings(by: number, visit) : nil))
        }
    }

    /// The last calls of an app to the roster.
    private func readings(by number: Int64, _ visit: ConsoleDoor.Visit) async throws -> [AppPage.Reading] {
        let trail = try await visit.ask(
            ListAudit(
                app: Self.reference(number), action: AuditEntry.Action.rosterRead.rawValue, outcome: .done,
                limit: Self.readingsShown))
        return trail.entries.map { entry in
            AppPage.Reading(
                at: entry.at, call: entry.subject,
                records: RosterCall(subject: entry.subject, detail: entry.detail)?.ids.runs.reduce(0) { $0 + $1.count }
                    ?? 1)
        }
    }

    /// The consent that is in force, or the last one; nil for an app that was never connected.
    private func consent(of number: Int64, _ visit: ConsoleDoor.Visit) async throws -> ConsentRecord? {
        do {
            return try await visit.ask(ShowConsent(app: Self.reference(number)))
        } catch OperationError.notFound(.consent, _, _) {
            return nil
        }
    }

    private func living(_ number: Int64, _ visit: ConsoleDoor.Visit) async throws -> ConsentRecord {
        try check(visit)
        guard let found = try await consent(of: number, visit), found.revokedAt == nil else {
            throw PageError.notFound
        }
        return found
    }

    @Sendable private func showLimit(_ request: Request, context: AppContext) async throws -> Response {
        let number = try context.pathNumber("app")
        return try await door.open(request, context, in: .apps) { visit in
            .page(
                LimitConsentPage(
                    desk: visit.desk, consent: try await living(number, visit), sendsMail: visit.getsMail(sendsMail)))
        }
    }

    @Sendable private func limit(_ request: Request, context: AppContext) async throws -> Response {
        let number = try context.pathNumber("app")
        return try await door.submit(
            request, context, in: .apps, from: request.routedPath,
            again: { visit, input, failure in
                LimitConsentPage(
                    desk: visit.desk, consent: try await living(number, visit), sendsMail: visit.getsMail(sendsMail),
                    typed: try input["lastDay"] ?? "", failure: failure)
            }
        ) { visit, input in
            let done = try await visit.perform(
                LimitConsent(app: Self.reference(number), lastDay: try input["lastDay"] ?? "none"),
                ifVersion: try input.version)
            return .next(Self.path(of: number), changes: done.changes)
        }
    }

    @Sendable private func askRenewal(_ request: Request, context: AppContext) async throws -> Response {
        let number = try context.pathNumber("app")
        return try await door.open(request, context, in: .apps) { visit in
            let consent = try await living(number, visit)
            let preview = try await visit.preview(RenewConsent(app: Self.reference(number)))
            return .page(
                ConfirmPage(
                    desk: visit.desk, section: .apps, heading: AppQuestion.renewHeading(consent),
                    parent: ConsoleLink(.named(consent.app), to: Self.path(of: number)),
                    consequences: AppQuestion.renewal(consent), preview: preview, action: request.routedPath,
                    button: AppQuestion.renewButton))
        }
    }

    @Sendable private func renew(_ request: Request, context: AppContext) async throws -> Response {
        let number = try context.pathNumber("app")
        return try await door.submit(request, context, in: .apps, from: request.routedPath) { visit, input in
            let done = try await visit.perform(
                RenewConsent(app: Self.reference(number)), ifVersion: try input.version)
            return .next(Self.path(of: number), changes: done.changes)
        }
    }

    @Sendable private func askRevoking(_ request: Request, context: AppContext) async throws -> Response {
        let number = try context.pathNumber("app")
        return try await door.open(request, context, in: .apps, confirmsIdentity: true) { visit in
            let consent = try await living(number, visit)
            let preview = try await visit.preview(RevokeConsent(app: Self.reference(number)))
            return .page(
                ConfirmPage(
                    desk: visit.desk, section: .apps, heading: AppQuestion.revokeHeading(consent),
                    parent: ConsoleLink(.named(consent.app), to: Self.path(of: number)),
                    consequences: AccessTopic.Loss.consequences(of: preview.effects)
                        + AppQuestion.revoking(consent),
                    preview: preview, action: request.routedPath, button: AppQuestion.revokeButton, isFinal: true))
        }
    }

    @Sendable private func revoke(_ request: Request, context: AppContext) async throws -> Response {
        let number = try context.pathNumber("app")
        return try await door.submit(
            request, context, in: .apps, from: request.routedPath, confirmsIdentity: true
        ) { visit, input in
            let done = try await visit.perform(
                RevokeConsent(app: Self.reference(number)), ifVersion: try input.version)
            return .next(Self.path(of: number), changes: done.changes)
        }
    }

    // MARK: What it is shown

    private func sharingPage(
        _ number: Int64, _ visit: ConsoleDoor.Visit, typed: SharingPage.Rules? = nil, people: String = "",
        failure: OperationFailure? = nil
    ) async throws -> SharingPage {
        try check(visit)
        let record = try await visit.ask(ShowSharing(app: Self.reference(number)))
        return SharingPage(
            desk: visit.desk, record: record, locations: try await visit.locations(), typed: typed, people: people,
            failure: failure)
    }

    @Sendable private func showSharing(_ request: Request, context: AppContext) async throws -> Response {
        let number = try context.pathNumber("app")
        return try await door.open(request, context, in: .apps) { visit in
            .page(try await sharingPage(number, visit))
        }
    }

    @Sendable private func setSharing(_ request: Request, context: AppContext) async throws -> Response {
        let number = try context.pathNumber("app")
        return try await door.submit(
            request, context, in: .apps, from: request.routedPath,
            again: { visit, input, failure in
                try await sharingPage(number, visit, typed: try SharingPage.Rules(input), failure: failure)
            }
        ) { visit, input in
            try await settle(
                try Self.change(of: number, input), number, visit, input,
                inputs: ["locations", "furtherLocations", "roles", "grades", "classes", "withheld", "closed"].flatMap {
                    name in
                    input.all(name).map { (name, $0) }
                })
        }
    }

    private static func change(of number: Int64, _ input: ConsoleInput) throws -> SetSharing {
        var change = SetSharing(app: reference(number))
        let closed = Set(input.all("closed").compactMap(SharingPage.Limit.init(rawValue:)))
        /// Nothing chosen is no limit, unless the limit is one that lets nothing through.
        func limit(_ limit: SharingPage.Limit, _ values: [String]) -> [String]? {
            values.isEmpty && !closed.contains(limit) ? nil : values
        }
        func lines(_ name: String) throws -> [String] {
            (try input[name] ?? "").split(whereSeparator: \.isNewline).map {
                $0.trimmingCharacters(in: .whitespaces)
            }.filter { !$0.isEmpty }
        }
        if let places = limit(.locations, input.all("locations") + (try lines("furtherLocations"))) {
            change.organizationItself = places.contains(SharingPage.organizationItself)
            change.locations = places.filter { $0 != SharingPage.organizationItself }.map(LocationReference.init)
        }
        change.roles = limit(.roles, input.all("roles"))?.compactMap(RosterRole.init(rawValue:))
        change.grades = limit(.grades, try lines("grades"))
        change.classes = limit(.classes, try lines("classes"))?.map(ClassReference.init)
        change.withheld = input.all("withheld").compactMap(SharedField.init(rawValue:))
        return change
    }

    @Sendable private func leaveOut(_ request: Request, context: AppContext) async throws -> Response {
        let number = try context.pathNumber("app")
        return try await door.submit(
            request, context, in: .apps, from: "\(Self.path(of: number))/sharing",
            again: { visit, input, failure in
                try await sharingPage(number, visit, people: try input["people"] ?? "", failure: failure)
            }
        ) { visit, input in
            let people = try Self.people(input)
            return try await settle(
                LeaveOut(app: Self.reference(number), people: people), number, visit, input,
                inputs: [("people", try input["people"] ?? "")])
        }
    }

    @Sendable private func putBack(_ request: Request, context: AppContext) async throws -> Response {
        let number = try context.pathNumber("app")
        return try await door.submit(
            request, context, in: .apps, from: "\(Self.path(of: number))/sharing"
        ) { visit, input in
            try await settle(
                PutBack(app: Self.reference(number), people: try Self.people(input)), number, visit, input,
                inputs: [("people", try input["people"] ?? "")])
        }
    }

    private static func people(_ input: ConsoleInput) throws -> [PersonReference] {
        (try input["people"] ?? "").split { $0.isNewline || $0 == "," }
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }.map(PersonReference.init)
    }

    /// Shows who would appear and disappear; or, when that was seen, makes the change.
    private func settle<C: Change>(
        _ change: C, _ number: Int64, _ visit: ConsoleDoor.Visit, _ input: ConsoleInput, inputs: [(String, String)]
    ) async throws -> ConsoleDoor.Answer where C.Answer == SharingRecord {
        try check(visit)
        if try input.isConfirmed {
            let done = try await visit.perform(change, ifVersion: try input.version)
            return .next(Self.path(of: number), changes: done.changes)
        }
        let preview = try await visit.preview(change, ifVersion: try input.version)
        let app = try await visit.ask(ShowSharing(app: Self.reference(number))).app
        return .page(
            ConfirmPage(
                desk: visit.desk, section: .apps, heading: SharingQuestion.heading(app),
                parent: ConsoleLink(SharingQuestion.parent(app), to: "\(Self.path(of: number))/sharing"),
                consequences: SharingQuestion.consequences(of: preview, app: app), preview: preview,
                action: visit.request.routedPath, inputs: inputs, button: Sentence("console.save")))
    }

    // MARK: Looking

    @Sendable private func view(_ request: Request, context: AppContext) async throws -> Response {
        let number = try context.pathNumber("app")
        let input = ConsoleInput(try request.queryParameters())
        return try await door.open(request, context, in: .apps) { visit in
            try check(visit)
            let app = try await visit.ask(ShowSharing(app: Self.reference(number))).app
            let call = try input["call"] ?? "users?limit=20"
            do {
                let view = try await visit.ask(ViewAsApp(app: Self.reference(number), call: call))
                return .page(
                    ViewAsAppPage(
                        desk: visit.desk, app: app, number: number, call: call, view: view,
                        next: Self.next(after: call, in: view.body)))
            } catch {
                guard let failure = OperationFailure(error), [.invalid, .refused].contains(failure.kind) else {
                    throw error
                }
                return .refusal(
                    ViewAsAppPage(
                        desk: visit.desk, app: app, number: number, call: call, view: nil, next: nil,
                        failure: failure))
            }
        }
    }

    /// The part of a page of the Roster API that says whether another one follows.
    private struct PageEnd: Decodable {
        let nextPageToken: String?
        let moreToFollow: Bool?
    }

    /// The same call for the page that follows.
    private static func next(after call: String, in body: String) -> String? {
        guard let end = try? JSONDecoder().decode(PageEnd.self, from: Data(body.utf8)), end.moreToFollow == true,
            let token = end.nextPageToken
        else { return nil }
        let parts = call.split(separator: "?", maxSplits: 1)
        let others = (parts.count > 1 ? FormEncoding.decode(String(parts[1])) ?? [] : []).filter {
            $0.name != "pageToken"
        }
        return "\(parts.first ?? "")?\(FormEncoding.encode(others + [FormField("pageToken", token)]))"
    }

    @Sendable private func explain(_ request: Request, context: AppContext) async throws -> Response {
        let number = try context.pathNumber("app")
        let input = ConsoleInput(try request.queryParameters())
        return try await door.open(request, context, in: .apps) { visit in
            try check(visit)
            let app = try await visit.ask(ShowSharing(app: Self.reference(number))).app
            guard let person = try input["person"] else {
                return .page(WhyPage(desk: visit.desk, app: app, number: number, person: ""))
            }
            do {
                let answer = try await visit.ask(
                    ExplainAccess(person: PersonReference(person), app: Self.reference(number)))
                return .page(
                    WhyPage(desk: visit.desk, app: app, number: number, person: person, answer: answer))
            } catch {
                guard let failure = OperationFailure(error), [.notFound, .ambiguous].contains(failure.kind) else {
                    throw error
                }
                return .refusal(
                    WhyPage(desk: visit.desk, app: app, number: number, person: person, failure: failure))
            }
        }
    }

    /// A business has no roster that apps read: for it these pages do not exist.
    private func check(_ visit: ConsoleDoor.Visit) throws {
        guard visit.desk.isSchool else { throw PageError.notFound }
    }
}

extension SharingPage.Rules {
    /// What was typed.
    fileprivate init(_ input: ConsoleInput) throws {
        self.init(
            locations: input.all("locations"), furtherLocations: try input["furtherLocations"] ?? "",
            grades: try input["grades"] ?? "", roles: input.all("roles"), classes: try input["classes"] ?? "",
            withheld: input.all("withheld"), closed: input.all("closed").compactMap(SharingPage.Limit.init(rawValue:)))
    }
}
