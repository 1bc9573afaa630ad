import Administration
import ConsolePages
import Directory
import Hummingbird
import ServerPages

/// Opens the console to whoever belongs to an organization. What they may do there, the operations say.
struct ConsoleDoor: Sendable {
    let desks: DeskDoor

    typealias Answer = DeskDoor.Answer

    var services: AdministrationServices { desks.services }

    /// A person who visits a page of the console.
    struct Visit: Sendable {
        let account: AccountDoor.Visit
        let administrator: Administrator
        let organization: Organization
        let desk: Desk

        var request: Request { account.request }
        var context: AppContext { account.context }
        var language: Language { account.visitor.language }
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

        /// Has the change carried out in the background.
        /// - Returns: the id of the job.
        func begin<C: Change>(_ change: C) async throws -> String {
            try await administrator.begin(change, in: place)
        }

        func preview<C: Change>(_ change: C, ifVersion version: String? = nil) async throws -> Preview {
            try await administrator.preview(change, in: place, ifVersion: version)
        }
    }

    /// Answers a GET.
    /// - Parameters:
    ///   - section: the part of the console to which the page belongs, for refusals.
    ///   - confirmsIdentity: whether the person has to have shown a moment ago who they are, because nothing takes back what
    ///     the page is for.
    func open(
        _ request: Request, _ context: AppContext, in section: ConsoleSection, confirmsIdentity: Bool = false,
        _ show: (Visit) async throws -> Answer
    ) async throws -> Response {
        try await desks.open(
            request, context, as: Self.visit, problem: { Self.problem($0, section, $1) }, undoAt: ChangeRoutes.path,
            confirmsIdentity: confirmsIdentity, show)
    }

    /// Answers a form.
    /// - Parameters:
    ///   - page: where a GET shows the form, for those who have to sign in again first.
    ///   - confirmsIdentity: as for ``open(_:_:in:confirmsIdentity:_:)``.
    ///   - again: shows the form again with what the server has refused; nil where there is nothing to fill in.
    func submit(
        _ request: Request, _ context: AppContext, in section: ConsoleSection, from page: String,
        confirmsIdentity: Bool = false,
        again: ((Visit, ConsoleInput, OperationFailure) async throws -> any DeskPage)? = nil,
        _ act: (Visit, ConsoleInput) async throws -> Answer
    ) async throws -> Response {
        try await desks.submit(
            request, context, as: Self.visit, problem: { Self.problem($0, section, $1) }, undoAt: ChangeRoutes.path,
            from: page, confirmsIdentity: confirmsIdentity, again: again, act)
    }

    /// Answers a form with files, which arrive while it acts.
    /// - Parameters:
    ///   - page: where a GET shows the form, for those who have to sign in again first.
    ///   - again: shows the form again with what the server has refused.
    ///   - act: begins the upload once the person may send it.
    func receive(
        _ request: Request, _ context: AppContext, in section: ConsoleSection, from page: String, bytesMax: Int,
        again: (Visit, OperationFailure) async throws -> any DeskPage,
        _ act: (Visit, AccountDoor.AnnouncedUpload) async throws -> Answer
    ) async throws -> Response {
        try await desks.receive(
            request, context, as: Self.visit, problem: { Self.problem($0, section, $1) }, undoAt: ChangeRoutes.path,
            from: page, bytesMax: bytesMax, again: again, act)
    }

    /// - Throws: ``PageError/notFound`` for personal accounts, which have no console.
    private static func visit(_ visitor: DeskDoor.Visitor) throws -> Visit {
        guard let organization = visitor.standing.organization else { throw PageError.notFound }
        let desk = Desk(
            organization: Badge(organization), isSchool: organization.kind == .school,
            isSandbox: organization.isSandbox, person: visitor.person,
            privileges: visitor.standing.privileges, wholePrivileges: visitor.standing.wholePrivileges,
            isTeachers: visitor.standing.isTeachers, managedLocations: visitor.standing.managedLocations,
            classLocations: visitor.standing.classLocations,
            givenRoles: visitor.standing.givenRoles, wholeRoles: visitor.standing.wholeRoles,
            notice: visitor.notice, path: visitor.path)
        return Visit(
            account: visitor.account, administrator: visitor.administrator, organization: organization, desk: desk)
    }

    private static func problem(
        _ visit: Visit, _ section: ConsoleSection, _ failure: OperationFailure
    ) -> any DeskPage {
        ConsoleProblemPage(frame: visit.desk.frame(in: section), failure: failure, back: section.path)
    }
}
