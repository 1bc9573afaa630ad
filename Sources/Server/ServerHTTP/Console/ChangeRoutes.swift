import ConsolePages
import Hummingbird

/// `/manager/undo`: takes changes back that were just made.
struct ChangeRoutes: Sendable {
    let door: ConsoleDoor

    static let path = "/manager/undo"

    func mount(on router: some RouterMethods<AppContext>) {
        router.post("manager/undo", use: undo)
    }

    @Sendable private func undo(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(request, context, in: .home, from: ConsoleSection.home.path) { visit, input in
            let (effects, failures) = try await visit.administrator.undo(input, in: visit.place)
            return .page(
                UndonePage(
                    frame: visit.desk.frame(in: .home), effects: effects, failures: failures,
                    back: LocalPath(try input["from"]).text))
        }
    }
}
