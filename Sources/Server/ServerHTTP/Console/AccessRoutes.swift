import Administration
import Authorization
import ConsolePages
import Hummingbird
import ServerPages

/// `/manager/access`: to which apps people sign in, and which read the roster.
struct AccessRoutes: Sendable {
    let door: ConsoleDoor

    /// How many apps a page of the search shows.
    private static let shown = 50

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager/access", use: show)
        mount(SigningIn.self, as: .signIn, on: router)
        mount(DataSharing.self, as: .dataSharing, on: router)
    }

    private func mount<Rule: AppRule>(
        _: Rule.Type, as topic: AccessTopic, on router: some RouterMethods<AppContext>
    ) {
        let routes = AccessTopicRoutes<Rule>(door: door, topic: topic, shown: Self.shown)
        let path = RouterPath(String(topic.path.dropFirst()))
        router.get(path, use: routes.show)
        router.get("\(path)/add", use: routes.search)
        router.post("\(path)/mode", use: routes.setMode)
        for act in AccessTopic.Act.allCases {
            let path = RouterPath("\(path)/apps/{app}/\(act.rawValue)")
            router.get(path) { try await routes.ask(act, $0, $1) }
            router.post(path) { try await routes.act(act, $0, $1) }
        }
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .access) { visit in
            let topics = AccessTopic.open(to: visit.desk)
            if topics.isEmpty { try visit.require(ShowAccess<SigningIn>.self) }
            if topics == [.signIn] { return .next(AccessTopic.signIn.path, changes: []) }
            var answers: [AccessPage.Answer] = []
            for topic in topics {
                let record =
                    switch topic {
                    case .signIn: try await visit.ask(ShowAccess<SigningIn>())
                    case .dataSharing: try await visit.ask(ShowAccess<DataSharing>())
                    }
                answers.append(
                    AccessPage.Answer(topic, allowsAll: record.mode == .allowAllApps, listed: record.apps.count))
            }
            return .page(AccessPage(desk: visit.desk, answers: answers))
        }
    }
}

/// The pages of one of the two questions.
private struct AccessTopicRoutes<Rule: AppRule>: Sendable {
    let door: ConsoleDoor
    let topic: AccessTopic
    let shown: Int

    @Sendable func show(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .access) { visit in
            try check(visit)
            let record = try await visit.ask(ShowAccess<Rule>())
            return .page(
                AccessTopicPage(
                    desk: visit.desk, topic: topic, record: record, allowsAll: record.mode == .allowAllApps,
                    people: try await people(visit)))
        }
    }

    @Sendable func search(_ request: Request, context: AppContext) async throws -> Response {
        let input = ConsoleInput(try request.queryParameters())
        return try await door.open(request, context, in: .access) { visit in
            try check(visit)
            let (text, after) = (try input["text"], try input["after"].flatMap { Int64($0) })
            let found = try await visit.ask(SearchApps<Rule>(text: text, after: after, limit: shown))
            return .page(
                FindAppsPage(
                    desk: visit.desk, topic: topic, text: text, isFirst: after == nil, apps: found.apps,
                    next: found.next))
        }
    }

    @Sendable func setMode(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(request, context, in: .access, from: topic.path) { visit, input in
            try check(visit)
            guard let word = try input["mode"], ["all", "listed"].contains(word) else { throw PageError.notFound }
            let allowsAll = word == "all"
            let change = SetAccessMode<Rule>(mode: allowsAll ? .allowAllApps : .allowOnlyListedApps)
            if try input.isConfirmed {
                let done = try await visit.perform(change, ifVersion: try input.version)
                return .next(topic.path, changes: done.changes)
            }
            let record = try await visit.ask(ShowAccess<Rule>())
            guard (record.mode == .allowAllApps) != allowsAll else { return .next(topic.path, changes: []) }
            return try await confirmation(
                change, visit, action: "\(topic.path)/mode", inputs: [("mode", word)]
            ) { _ in .mode(allowsAll: allowsAll, listed: record.apps.count) }
        }
    }

    func ask(_ act: AccessTopic.Act, _ request: Request, _ context: AppContext) async throws -> Response {
        let number = try context.pathNumber("app")
        return try await door.open(request, context, in: .access) { visit in
            try check(visit)
            let app = AppReference("app:\(number)")
            let action = topic.path(of: number, act)
            switch act {
            case .add: return try await confirmation(AllowApp<Rule>(app: app), visit, action: action) { .add(app: $0) }
            case .remove:
                return try await confirmation(DisallowApp<Rule>(app: app), visit, action: action) { .remove(app: $0) }
            }
        }
    }

    func act(_ act: AccessTopic.Act, _ request: Request, _ context: AppContext) async throws -> Response {
        let app = AppReference("app:\(try context.pathNumber("app"))")
        return try await door.submit(request, context, in: .access, from: topic.path) { visit, input in
            try check(visit)
            let changes =
                switch act {
                case .add: try await visit.perform(AllowApp<Rule>(app: app), ifVersion: try input.version).changes
                case .remove: try await visit.perform(DisallowApp<Rule>(app: app), ifVersion: try input.version).changes
                }
            return .next(topic.path, changes: changes)
        }
    }

    /// A business has no roster to share: for it these pages do not exist.
    private func check(_ visit: ConsoleDoor.Visit) throws {
        guard visit.desk.isSchool || topic == .signIn else { throw PageError.notFound }
    }

    private func people(_ visit: ConsoleDoor.Visit) async throws -> Int {
        try await visit.ask(ShowOrganization()).people
    }

    /// What a change would do.
    /// - Parameter question: gets the name of what is changed.
    private func confirmation<C: Change>(
        _ change: C, _ visit: ConsoleDoor.Visit, action: String, inputs: [(String, String)] = [],
        _ question: (String) -> AccessQuestion
    ) async throws -> ConsoleDoor.Answer {
        let preview = try await visit.preview(change)
        // Somebody else has done it meanwhile.
        guard let name = preview.effects.first?.name else { return .next(topic.path, changes: []) }
        let asked = question(name)
        return .page(
            ConfirmPage(
                desk: visit.desk, section: .access, heading: asked.heading(topic),
                parent: ConsoleLink(topic.heading, to: topic.path),
                consequences: asked.consequences(topic, people: try await people(visit), effects: preview.effects),
                preview: preview, action: action, inputs: inputs, button: asked.heading(topic)))
    }
}
