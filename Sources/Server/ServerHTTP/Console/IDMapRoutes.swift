import Administration
import ConsolePages
import Directory
import Foundation
import Hummingbird
import RosterFiles
import ServerPages

/// `/manager/imports/ids`: records get the ids of another information system, after somebody has looked at those in doubt.
struct IDMapRoutes: Sendable {
    let door: ConsoleDoor

    private static let path = IDMapPage.path
    /// As large as the JSON of a map may be.
    private static let mapBytesMax = 32 << 20

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager/imports/ids", use: show)
        router.post("manager/imports/ids", use: guess)
        router.post("manager/imports/ids/map", use: receiveMap)
        router.get("manager/imports/ids/{job}", use: showChoices)
        router.get("manager/imports/ids/{job}/map.csv", use: download)
        router.post("manager/imports/ids/{job}/apply", use: apply)
    }

    private static func page(_ visit: ConsoleDoor.Visit, failure: OperationFailure? = nil) -> IDMapPage {
        IDMapPage(desk: visit.desk, bytesMax: Upload.rosterBytesMax, failure: failure)
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .imports) { visit in
            try await visit.administrator.admit(GuessIDMap.self)
            guard visit.organization.kind == .school else { throw PageError.notFound }
            return .page(Self.page(visit))
        }
    }

    @Sendable private func guess(_ request: Request, context: AppContext) async throws -> Response {
        try await door.receive(
            request, context, in: .imports, from: Self.path, bytesMax: Upload.rosterBytesMax,
            again: { Self.page($0, failure: $1) }
        ) { visit, upload in
            try await visit.administrator.admit(GuessIDMap.self)
            let files = try await upload.begin().files
            let archive = try await files.roster(of: visit.organization.kind)
            let job = try await visit.begin(GuessIDMap(archive: archive))
            return .next("\(ConsoleSection.imports.path)/jobs/\(job)", changes: [])
        }
    }

    @Sendable private func receiveMap(_ request: Request, context: AppContext) async throws -> Response {
        try await door.receive(
            request, context, in: .imports, from: Self.path, bytesMax: Self.mapBytesMax,
            again: { Self.page($0, failure: $1) }
        ) { visit, upload in
            try await visit.administrator.admit(GuessIDMap.self)
            let files = try await upload.begin().files
            let map = try await files.file(bytesMax: Self.mapBytesMax)
            let moves: [IDMove]
            do {
                moves = try IDMapFile(map).rows.map(\.move)
            } catch let problems as IDMapFile.Problems {
                throw OperationFailure(
                    .invalid,
                    problems.problems.prefix(20).map { "Line \($0.line): \($0.message)" }.joined(separator: " "))
            }
            let job = try await visit.begin(GuessIDMap(moves: moves))
            return .next("\(ConsoleSection.imports.path)/jobs/\(job)", changes: [])
        }
    }

    private static func choices(
        _ id: String, _ visit: ConsoleDoor.Visit, failure: OperationFailure? = nil
    ) async throws -> IDMapChoicePage {
        guard let done = try await visit.job(id).done(GuessIDMap.self) else {
            throw OperationError.notFound(.job, id, in: nil)
        }
        return IDMapChoicePage(desk: visit.desk, job: id, proposal: done.answer, failure: failure)
    }

    @Sendable private func showChoices(_ request: Request, context: AppContext) async throws -> Response {
        let id = try context.pathInput("job")
        return try await door.open(request, context, in: .imports) { .page(try await Self.choices(id, $0)) }
    }

    @Sendable private func download(_ request: Request, context: AppContext) async throws -> Response {
        let id = try context.pathInput("job")
        return try await door.open(request, context, in: .imports) { visit in
            let proposal = try await Self.choices(id, visit).proposal
            return .response(.download(try proposal.file(), as: "text/csv", named: "id-map.csv"))
        }
    }

    @Sendable private func apply(_ request: Request, context: AppContext) async throws -> Response {
        let id = try context.pathInput("job")
        let page = "\(Self.path)/\(id)"
        return try await door.submit(
            request, context, in: .imports, from: page,
            again: { visit, _, failure in try await Self.choices(id, visit, failure: failure) }
        ) { visit, input in
            let choices = try await Self.choices(id, visit)
            let moves = try choices.moves { try input["new-\($0)"] }
            let change = ApplyIDMap(moves: moves)
            if try input.isConfirmed {
                guard change.takesLong else {
                    let done = try await visit.perform(change)
                    return .next(ConsoleSection.imports.path, changes: done.changes)
                }
                return .next("\(ConsoleSection.imports.path)/jobs/\(try await visit.begin(change))", changes: [])
            }
            let preview = try await visit.preview(change)
            let chosen = try (0..<IDMapChoicePage.choicesMax).compactMap { index in
                try input["new-\(index)"].map { ("new-\(index)", $0) }
            }
            return .page(
                ConfirmPage(
                    desk: visit.desk, section: .imports, heading: Sentence("consoleIDMaps.confirmHeading"),
                    parent: ConsoleLink(Sentence("consoleIDMaps.choiceHeading"), to: page),
                    consequences: [
                        Sentence("consoleIDMaps.confirmMoved", ["count": .count(moves.count)]),
                        Sentence("consoleIDMaps.confirmStays"), Sentence("consoleIDMaps.confirmUntil"),
                    ], preview: preview, action: "\(page)/apply", inputs: chosen,
                    button: Sentence("consoleIDMaps.confirmButton")))
        }
    }
}
