import Administration
import Authorization
import ConsolePages
import Directory
import Ground
import HTTPTypes
import Hummingbird
import Logging
import ServerPages
import Storage

/// Opens desks, which are the console and the developer portal, to the person who is signed in. Each page asks operations
/// in the name of that person, which decide what they may see and do; the door only says who it is, and turns refusals
/// into pages.
struct DeskDoor: Sendable {
    let door: AccountDoor
    let database: any Database
    let services: AdministrationServices

    /// Somebody at a desk.
    struct Visitor: Sendable {
        let account: AccountDoor.Visit
        let administrator: Administrator
        let standing: Administrator.Standing
        let person: SignedInPerson
        /// Offers to undo what was just done; nil if nothing was.
        let notice: Desk.Notice?
        /// Where a GET shows the page again.
        let path: String
        /// Asks whether the person has shown a moment ago who they are.
        let isFresh: @Sendable () async throws -> Bool
    }

    /// What a handler answers.
    enum Answer: Sendable {
        case page(any DeskPage)
        /// The page of a form again, with what was wrong.
        case refusal(any DeskPage)
        /// On to another page, with the numbers of the changes that were made.
        case next(String, changes: [Int64])
        case response(Response)
    }

    /// Answers a GET.
    /// - Parameters:
    ///   - problem: the page that says why nothing else is shown.
    ///   - confirmsIdentity: whether the person has to have shown a moment ago who they are, because somebody with a borrowed
    ///     browser must not do what the page is for.
    func open<Visit: Sendable>(
        _ request: Request, _ context: AppContext, as visit: (Visitor) throws -> Visit,
        problem: (Visit, OperationFailure) -> any DeskPage, undoAt undoPath: String, confirmsIdentity: Bool = false,
        _ show: (Visit) async throws -> Answer
    ) async throws -> Response {
        let path = LocalPath(request.uri.string).text
        return try await door.open(request, context, at: path) { account in
            if confirmsIdentity, let elsewhere = try await confirmation(of: account, then: path) { return elsewhere }
            let visitor = try await visitor(account, at: path, undoAt: undoPath)
            let visit = try visit(visitor)
            return try await respond(to: visitor, problem: { problem(visit, $0) }) { try await show(visit) }
        }
    }

    /// Answers a form.
    /// - Parameters:
    ///   - page: where a GET shows the form, for those who have to sign in again first.
    ///   - confirmsIdentity: as for ``open(_:_:as:problem:undoAt:confirmsIdentity:_:)``.
    ///   - again: shows the form again with what the server has refused; nil where there is nothing to fill in.
    func submit<Visit: Sendable>(
        _ request: Request, _ context: AppContext, as visit: (Visitor) throws -> Visit,
        problem: (Visit, OperationFailure) -> any DeskPage, undoAt undoPath: String, from page: String,
        confirmsIdentity: Bool = false,
        again: ((Visit, ConsoleInput, OperationFailure) async throws -> any DeskPage)?,
        _ act: (Visit, ConsoleInput) async throws -> Answer
    ) async throws -> Response {
        try await door.submit(request, context, at: page) { account, form in
            if confirmsIdentity, let elsewhere = try await confirmation(of: account, then: page) { return elsewhere }
            let input = ConsoleInput(form)
            let visitor = try await visitor(account, at: page, undoAt: undoPath)
            let visit = try visit(visitor)
            return try await respond(to: visitor, problem: { problem(visit, $0) }) {
                do {
                    return try await act(visit, input)
                } catch {
                    // What was named may be missing; if it is the subject itself, its form cannot be shown again either.
                    guard let again, let failure = OperationFailure(error),
                        [.invalid, .refused, .ambiguous, .notFound].contains(failure.kind)
                    else { throw error }
                    return .refusal(try await again(visit, input, failure))
                }
            }
        }
    }

    /// Answers a form with files, which arrive while it acts.
    /// - Parameters:
    ///   - page: where a GET shows the form, for those who have to sign in again first.
    ///   - again: shows the form again with what the server has refused.
    ///   - act: begins the upload once the person may send it.
    func receive<Visit: Sendable>(
        _ request: Request, _ context: AppContext, as visit: (Visitor) throws -> Visit,
        problem: (Visit, OperationFailure) -> any DeskPage, undoAt undoPath: String, from page: String, bytesMax: Int,
        again: (Visit, OperationFailure) async throws -> any DeskPage,
        _ act: (Visit, AccountDoor.AnnouncedUpload) async throws -> Answer
    ) async throws -> Response {
        try await door.receive(request, context, at: page, bytesMax: bytesMax) { account, upload in
            let visitor = try await visitor(account, at: page, undoAt: undoPath)
            let visit = try visit(visitor)
            return try await respond(to: visitor, problem: { problem(visit, $0) }) {
                do {
                    return try await act(visit, upload)
                } catch {
                    guard let failure = OperationFailure(error) ?? (error as? Upload.Failure)?.refusal,
                        [.invalid, .refused, .ambiguous].contains(failure.kind)
                    else { throw error }
                    return .refusal(try await again(visit, failure))
                }
            }
        }
    }

    /// On to the page on which the person shows who they are; nil if they have done so a moment ago.
    private func confirmation(of account: AccountDoor.Visit, then path: String) async throws -> Response? {
        try await door.sessions.isFresh(account.session) ? nil : .seeOther(ConfirmRoutes.path(then: path))
    }

    private func respond(
        to visitor: Visitor, problem: (OperationFailure) -> any DeskPage, _ body: () async throws -> Answer
    ) async throws -> Response {
        do {
            switch try await body() {
            case .page(let page): return respond(with: page, to: visitor)
            case .refusal(let page): return respond(with: page, status: .unprocessableContent, to: visitor)
            case .next(let path, let changes): return .seeOther(Self.path(path, after: changes))
            case .response(var response):
                if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
                return response
            }
        } catch {
            guard let failure = OperationFailure(error) else { throw error }
            visitor.account.context.logger.notice("refused", metadata: ["reason": "\(failure.reasonForLog)"])
            return respond(with: problem(failure), status: failure.kind.pageStatus, to: visitor)
        }
    }

    private func visitor(
        _ account: AccountDoor.Visit, at path: String, undoAt undoPath: String
    ) async throws -> Visitor {
        let administrator = Administrator(
            .person(account.person.id), from: account.origin, database: database, services: services)
        let numbers = try account.request.queryParameters()["changes"] ?? ""
        let standing = try await administrator.standing(
            after: Self.changes(numbers))
        let now = services.surroundings.now()
        return Visitor(
            account: account, administrator: administrator, standing: standing,
            person: try await database.read { try SignedInPerson(account.person, at: now, in: $0) },
            notice: standing.changes.isEmpty ? nil : .done(standing.changes, at: path, undoAt: undoPath), path: path,
            isFresh: { [sessions = door.sessions, session = account.session] in try await sessions.isFresh(session) })
    }

    private func respond(
        with page: any DeskPage, status: HTTPResponse.Status = .ok, to visitor: Visitor
    ) -> Response {
        let account = visitor.account
        return door.pages.respond(
            with: page, status: status, to: account.request, account.context, visitor: account.visitor,
            currentPath: visitor.path, openerPolicy: .isolated)
    }

    /// How many changes a page offers to undo at once.
    private static let changesMax = 1_000

    /// - Parameter text: runs of numbers, as ``path(_:after:)`` writes them.
    /// - Returns: none for what it has not written, or for more than a page offers to undo.
    static func changes(_ text: String) -> [Int64] {
        guard let runs = IDRuns(text)?.runs,
            runs.allSatisfy({ $0.lowerBound > 0 && $0.upperBound - $0.lowerBound < changesMax }),
            runs.reduce(0, { $0 + $1.count }) <= changesMax
        else { return [] }
        return runs.flatMap { Array($0) }
    }

    /// The path with the numbers of the changes that led there, so that the page can offer to undo them.
    static func path(_ path: String, after changes: [Int64]) -> String {
        guard !changes.isEmpty, changes.count <= changesMax else { return path }
        return path + (path.contains("?") ? "&" : "?") + "changes=\(IDRuns(changes).text)"
    }
}

extension Administrator {
    /// Takes changes back, the last one first. What cannot be taken back stays, and is told.
    func undo(
        _ input: ConsoleInput, in place: OrganizationReference
    ) async throws -> (effects: [Effect], failures: [OperationFailure]) {
        let numbers = DeskDoor.changes(try input["changes"] ?? "")
        guard !numbers.isEmpty else { throw PageError.notFound }
        var effects: [Effect] = []
        var failures: [OperationFailure] = []
        for number in numbers.reversed() {
            do {
                effects += try await undo(number, in: place)
            } catch {
                guard let failure = OperationFailure(error) else { throw error }
                failures.append(failure)
            }
        }
        return (effects, failures)
    }
}

extension Done {
    /// The numbers with which the change is undone: none or one.
    var changes: [Int64] { change.map { [$0] } ?? [] }
}

extension Desk.Notice {
    /// - Parameter path: the page on which it stands, where whoever takes the changes back goes on: in a list that is
    ///   narrowed as it was.
    fileprivate static func done(_ changes: [Int64], at path: String, undoAt undoPath: String) -> Desk.Notice {
        let parts = path.split(separator: "?", maxSplits: 1)
        // The numbers of the changes are what ``DeskDoor/path(_:after:)`` has added.
        let query = (parts.count > 1 ? parts[1] : "").split(separator: "&").filter { !$0.hasPrefix("changes=") }
        let place = String(parts.first ?? "/")
        return Desk.Notice(
            Sentence("console.done"),
            undo: Form(
                action: undoPath,
                hiddenFields: [
                    HiddenField(name: "changes", value: IDRuns(changes).text),
                    HiddenField(
                        name: "from", value: query.isEmpty ? place : "\(place)?\(query.joined(separator: "&"))"),
                ]))
    }
}

extension OperationFailure.Kind {
    /// The status of a page that shows the failure.
    fileprivate var pageStatus: HTTPResponse.Status {
        switch self {
        case .unauthorized, .forbidden: .forbidden
        case .notFound: .notFound
        case .stale: .conflict
        case .ambiguous, .invalid, .refused, .items: .unprocessableContent
        case .unavailable: .serviceUnavailable
        }
    }
}
