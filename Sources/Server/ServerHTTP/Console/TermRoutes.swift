import Administration
import Authorization
import ConsolePages
import Directory
import Hummingbird

/// `/manager/classes/terms`. A term is named by its name, in the query.
struct TermRoutes: Sendable {
    let door: ConsoleDoor

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager/classes/terms", use: list)
        router.get("manager/classes/terms/add", use: showAdd)
        router.post("manager/classes/terms/add", use: add)
        router.get("manager/classes/terms/edit", use: showEdit)
        router.post("manager/classes/terms/edit", use: edit)
        for action in TermAction.allCases {
            router.get("manager/classes/terms/\(action.rawValue)") { request, context in
                try await ask(action, request, context)
            }
            router.post("manager/classes/terms/\(action.rawValue)") { request, context in
                try await act(action, request, context)
            }
        }
    }

    @Sendable private func list(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .classes) { visit in
            try visit.requireSchool()
            return .page(TermsPage(desk: visit.desk, terms: try await visit.ask(ListTerms()).terms))
        }
    }

    // MARK: Making and editing

    @Sendable private func showAdd(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .classes) { visit in
            try visit.requireSchool()
            try visit.require(AddTerm.self)
            return .page(EditTermPage(desk: visit.desk, term: nil, locations: try await visit.locations()))
        }
    }

    @Sendable private func add(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(
            request, context, in: .classes, from: "\(TermsPage.path)/add",
            again: { visit, input, failure in
                EditTermPage(
                    desk: visit.desk, term: nil, locations: try await visit.locations(),
                    typed: try input.typed(EditTermPage.names), failure: failure)
            }
        ) { visit, input in
            try visit.requireSchool()
            _ = try await visit.perform(
                AddTerm(
                    name: try input["name"] ?? "", firstDay: try input["firstDay"] ?? "",
                    lastDay: try input["lastDay"] ?? "", at: try input["at"].map(LocationReference.init)))
            return .next(TermsPage.path, changes: [])
        }
    }

    @Sendable private func showEdit(_ request: Request, context: AppContext) async throws -> Response {
        let name = try request.term
        return try await door.open(request, context, in: .classes) { visit in
            try visit.requireSchool()
            return .page(EditTermPage(desk: visit.desk, term: try await visit.term(name), locations: .none))
        }
    }

    @Sendable private func edit(_ request: Request, context: AppContext) async throws -> Response {
        let name = try request.term
        return try await door.submit(
            request, context, in: .classes, from: TermsPage.path(of: name, "edit"),
            again: { visit, input, failure in
                EditTermPage(
                    desk: visit.desk, term: try await visit.term(name), locations: .none,
                    typed: try input.typed(EditTermPage.names), failure: failure)
            }
        ) { visit, input in
            try visit.requireSchool()
            let done = try await visit.perform(
                EditTerm(
                    term: TermReference(name), name: try input["name"] ?? "", firstDay: try input["firstDay"] ?? "",
                    lastDay: try input["lastDay"] ?? ""), ifVersion: try input.version)
            return .next(TermsPage.path, changes: done.changes)
        }
    }

    // MARK: Closing

    private func ask(_ action: TermAction, _ request: Request, _ context: AppContext) async throws -> Response {
        let name = try request.term
        return try await door.open(request, context, in: .classes) { visit in
            try visit.requireSchool()
            let term = try await visit.term(name)
            let preview =
                switch action {
                case .close: try await visit.preview(CloseTerm(term: TermReference(name)))
                case .reopen: try await visit.preview(ReopenTerm(term: TermReference(name)))
                }
            return .page(
                ConfirmPage(
                    desk: visit.desk, section: .classes, heading: action.heading(of: name),
                    parent: ConsoleLink(TermAction.parent, to: TermsPage.path),
                    consequences: action.consequences(for: term),
                    preview: preview, action: TermsPage.path(of: name, action.rawValue), button: action.button))
        }
    }

    private func act(_ action: TermAction, _ request: Request, _ context: AppContext) async throws -> Response {
        let name = try request.term
        return try await door.submit(
            request, context, in: .classes, from: TermsPage.path(of: name, action.rawValue)
        ) { visit, input in
            try visit.requireSchool()
            let reference = TermReference(name)
            let changes =
                switch action {
                case .close: try await visit.perform(CloseTerm(term: reference), ifVersion: try input.version).changes
                case .reopen: try await visit.perform(ReopenTerm(term: reference), ifVersion: try input.version).changes
                }
            return .next(TermsPage.path, changes: changes)
        }
    }
}

extension Request {
    /// The name of the term in the query.
    /// - Throws: ``PageError/notFound``
    fileprivate var term: String {
        get throws {
            guard let name = try queryParameters()["term"], !name.isEmpty else { throw PageError.notFound }
            return name
        }
    }
}

extension ConsoleDoor.Visit {
    /// - Throws: ``OperationError/notFound(_:_:in:)``
    fileprivate func term(_ name: String) async throws -> TermRecord {
        guard let found = try await ask(ListTerms()).terms.first(where: { $0.name == name }) else {
            throw OperationError.notFound(.term, name, in: organization.name)
        }
        return found
    }
}
