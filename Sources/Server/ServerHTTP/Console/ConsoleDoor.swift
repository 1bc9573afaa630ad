import Administration
import Authorization
import ConsolePages
import Directory
import HTTPTypes
import Hummingbird
import Logging
import ServerPages
import Storage

/// Opens the console to the person who is signed in. Each page asks operations in the name of that person, which decide
/// what they may see and do; the door only says who it is, and turns refusals into pages.
struct ConsoleDoor: Sendable {
    let door: AccountDoor
    let database: any Database
    let services: AdministrationServices

    /// A person who visits a page of the console.
    struct Visit: Sendable {
        let account: AccountDoor.Visit
        let administrator: Administrator
        let organization: Organization
        let desk: Desk

        var request: Request { account.request }
        var context: AppContext { account.context }
        /// How operations name the organization.
        var place: OrganizationReference { .named(organization.publicID) }

        func ask<I: Inquiry>(_ inquiry: I) async throws -> I.Answer { try await administrator.ask(inquiry, in: place) }

        func perform<C: Change>(_ change: C, ifVersion version: String? = nil) async throws -> Done<C.Answer> {
            try await administrator.perform(change, in: place, ifVersion: version)
        }

        /// Carries out each of the changes that can be done.
        /// - Returns: the numbers with which they are undone.
        func performEach<C: Change>(_ changes: [C]) async throws -> [Int64] {
            try await perform(Bulk(items: changes, mode: .each)).answer.items.compactMap(\.change)
        }

        func preview<C: Change>(_ change: C, ifVersion version: String? = nil) async throws -> Preview {
            try await administrator.preview(change, in: place, ifVersion: version)
        }
    }

    /// What a handler answers.
    enum Answer: Sendable {
        case page(any ConsolePage)
        /// The page of a form again, with what was wrong.
        case refusal(any ConsolePage)
        /// On to another page, with the numbers of the changes that were made.
        case next(String, changes: [Int64])
        case response(Response)
    }

    /// Answers a GET.
    /// - Parameter section: the part of the console to which the page belongs, for refusals.
    func open(
        _ request: Request, _ context: AppContext, in section: ConsoleSection,
        _ show: (Visit) async throws -> Answer
    ) async throws -> Response {
        let path = LocalPath(request.uri.string).text
        return try await door.open(request, context, at: path) { account in
            try await respond(to: account, at: path, section) { try await show($0) }
        }
    }

    /// Answers a form.
    /// - Parameters:
    ///   - page: where a GET shows the form, for those who have to sign in again first.
    ///   - again: shows the form again with what the server has refused; nil where there is nothing to fill in.
    func submit(
        _ request: Request, _ context: AppContext, in section: ConsoleSection, from page: String,
        again: ((Visit, ConsoleInput, OperationFailure) async throws -> any ConsolePage)? = nil,
        _ act: (Visit, ConsoleInput) async throws -> Answer
    ) async throws -> Response {
        try await door.submit(request, context, at: page) { account, form in
            let input = ConsoleInput(form)
            return try await respond(to: account, at: page, section) { visit in
                do {
                    return try await act(visit, input)
                } catch {
                    guard let again, let failure = OperationFailure(error),
                        [.invalid, .refused, .ambiguous].contains(failure.kind)
                    else { throw error }
                    return .refusal(try await again(visit, input, failure))
                }
            }
        }
    }

    private func respond(
        to account: AccountDoor.Visit, at path: String, _ section: ConsoleSection,
        _ body: (Visit) async throws -> Answer
    ) async throws -> Response {
        let administrator = Administrator(
            .person(account.person.id), from: account.origin, database: database, services: services)
        let visit = try await visit(account, administrator, at: path)
        do {
            switch try await body(visit) {
            case .page(let page): return respond(with: page, to: visit)
            case .refusal(let page): return respond(with: page, status: .unprocessableContent, to: visit)
            case .next(let path, let changes): return .seeOther(Self.path(path, after: changes))
            case .response(let response): return response
            }
        } catch {
            guard let failure = OperationFailure(error) else { throw error }
            visit.context.logger.notice("refused", metadata: ["reason": "\(failure.detail)"])
            return respond(
                with: ConsoleProblemPage(desk: visit.desk, section: section, failure: failure),
                status: failure.kind.pageStatus, to: visit)
        }
    }

    private func visit(
        _ account: AccountDoor.Visit, _ administrator: Administrator, at path: String
    ) async throws -> Visit {
        let numbers = try account.request.queryParameters()["changes"] ?? ""
        let standing: Administrator.Standing
        do {
            standing = try await administrator.standing(
                after: numbers.split(separator: ",").prefix(Self.changesMax).compactMap { Int64($0) })
        } catch OperationError.signedOut {
            // Personal accounts have no console.
            throw PageError.notFound
        }
        let person = try await database.read { try SignedInPerson(account.person, in: $0) }
        let desk = Desk(
            organization: Badge(standing.organization), isSchool: standing.organization.kind == .school, person: person,
            privileges: standing.privileges,
            notice: standing.changes.isEmpty ? nil : .done(standing.changes, at: path), path: path)
        return Visit(
            account: account, administrator: administrator, organization: standing.organization, desk: desk)
    }

    private func respond(with page: any ConsolePage, status: HTTPResponse.Status = .ok, to visit: Visit) -> Response {
        door.pages.respond(
            with: page, status: status, to: visit.request, visit.context, visitor: visit.account.visitor,
            asksServer: true, currentPath: visit.desk.path, openerPolicy: .isolated)
    }

    /// How many changes a page offers to undo at once.
    private static let changesMax = 100

    /// The path with the numbers of the changes that led there, so that the page can offer to undo them.
    static func path(_ path: String, after changes: [Int64]) -> String {
        guard !changes.isEmpty, changes.count <= changesMax else { return path }
        return path + (path.contains("?") ? "&" : "?") + "changes=\(changes.map(String.init).joined(separator: ","))"
    }
}

extension Done {
    /// The numbers with which the change is undone: none or one.
    var changes: [Int64] { change.map { [$0] } ?? [] }
}

extension Desk.Notice {
    /// - Parameter path: the page on which it stands, where whoever takes the changes back goes on.
    fileprivate static func done(_ changes: [Int64], at path: String) -> Desk.Notice {
        let page = path.prefix { $0 != "?" }
        return Desk.Notice(
            Sentence("console.done"),
            undo: Form(
                action: "/manager/undo",
                hiddenFields: changes.map { HiddenField(name: "change", value: "\($0)") }
                    + [HiddenField(name: "from", value: String(page))]))
    }
}

extension OperationFailure.Kind {
    /// The status of a page that shows the failure.
    var pageStatus: HTTPResponse.Status {
        switch self {
        case .unauthorized, .forbidden: .forbidden
        case .notFound: .notFound
        case .stale: .conflict
        case .ambiguous, .invalid, .refused, .items: .unprocessableContent
        case .unavailable: .serviceUnavailable
        }
    }
}
