import Administration
import Authorization
import ConsolePages
import Directory
import Hummingbird
import ServerPages

/// Opens the developer portal to whoever is signed in. What they may do in which team, the operations say.
struct PortalDoor: Sendable {
    let desks: DeskDoor

    typealias Answer = DeskDoor.Answer

    /// A person who visits a page of the portal.
    struct Visit: Sendable {
        let administrator: Administrator
        let portal: Portal
        /// The team in the path. A team of others is as unknown as one that there is not.
        let team: TeamReference
        let browserSecret: String
        /// Asks whether the person has shown a moment ago who they are, for a form of which only what it says decides whether
        /// that is needed.
        let isFresh: @Sendable () async throws -> Bool

        func ask<I: Inquiry>(_ inquiry: I) async throws -> I.Answer { try await administrator.ask(inquiry) }

        func perform<C: Change>(_ change: C, ifVersion version: String? = nil) async throws -> Done<C.Answer> {
            try await administrator.perform(change, ifVersion: version)
        }

        func preview<C: Change>(_ change: C, ifVersion version: String? = nil) async throws -> Preview {
            try await administrator.preview(change, ifVersion: version)
        }
    }

    /// Answers a GET.
    /// - Parameters:
    ///   - team: the team that the page is about, if its path does not say it.
    ///   - confirmsIdentity: as for ``ConsoleDoor/open(_:_:in:confirmsIdentity:_:)``.
    func open(
        _ request: Request, _ context: AppContext, ofTeam team: String? = nil, confirmsIdentity: Bool = false,
        _ show: (Visit) async throws -> Answer
    ) async throws -> Response {
        try await desks.open(
            request, context, as: { try Self.visit($0, context, ofTeam: team) }, problem: Self.problem,
            undoAt: Self.undoPath, confirmsIdentity: confirmsIdentity, show)
    }

    /// Answers a form.
    /// - Parameters: as those of ``ConsoleDoor``.
    func submit(
        _ request: Request, _ context: AppContext, from page: String? = nil, confirmsIdentity: Bool = false,
        again: ((Visit, ConsoleInput, OperationFailure) async throws -> any DeskPage)? = nil,
        _ act: (Visit, ConsoleInput) async throws -> Answer
    ) async throws -> Response {
        try await desks.submit(
            request, context, as: { try Self.visit($0, context) }, problem: Self.problem, undoAt: Self.undoPath,
            from: page ?? request.routedPath, confirmsIdentity: confirmsIdentity, again: again, act)
    }

    /// Answers a form with a file.
    /// - Parameters: as those of ``ConsoleDoor``.
    func receive(
        _ request: Request, _ context: AppContext, bytesMax: Int,
        again: (Visit, OperationFailure) async throws -> any DeskPage,
        _ act: (Visit, AccountDoor.AnnouncedUpload) async throws -> Answer
    ) async throws -> Response {
        try await desks.receive(
            request, context, as: { try Self.visit($0, context) }, problem: Self.problem, undoAt: Self.undoPath,
            from: request.routedPath, bytesMax: bytesMax, again: again, act)
    }

    static let undoPath = "\(PortalSection.start)/undo"

    private static func visit(
        _ visitor: DeskDoor.Visitor, _ context: AppContext, ofTeam team: String? = nil
    ) throws -> Visit {
        let teams = visitor.standing.teams.map { Portal.Team(id: $0.publicID, name: $0.name) }
        let id = team ?? context.parameters.get("team")
        return Visit(
            administrator: visitor.administrator,
            portal: Portal(
                team: teams.first { $0.id == id }, teams: teams, person: visitor.person, notice: visitor.notice,
                path: visitor.path),
            team: TeamReference(id ?? ""), browserSecret: visitor.account.visitor.browserSecret,
            isFresh: visitor.isFresh)
    }

    private static func problem(_ visit: Visit, _ failure: OperationFailure) -> any DeskPage {
        ConsoleProblemPage(frame: visit.portal.frame(in: nil), failure: failure, back: PortalSection.start)
    }
}
