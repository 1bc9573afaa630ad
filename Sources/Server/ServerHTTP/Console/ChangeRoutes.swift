import Administration
import ConsolePages
import Hummingbird

/// `/manager/undo`: takes changes back that were just made, the last one first.
struct ChangeRoutes: Sendable {
    let door: ConsoleDoor

    func mount(on router: some RouterMethods<AppContext>) {
        router.post("manager/undo", use: undo)
    }

    @Sendable private func undo(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(request, context, in: .home, from: ConsoleSection.home.path) { visit, input in
            let numbers = ConsoleDoor.changes(try input["changes"] ?? "")
            guard !numbers.isEmpty else { throw PageError.notFound }
            var effects: [Effect] = []
            var failures: [OperationFailure] = []
            for number in numbers.reversed() {
                do {
                    effects += try await visit.administrator.undo(number, in: visit.place)
                } catch {
                    guard let failure = OperationFailure(error) else { throw error }
                    failures.append(failure)
                }
            }
            let back = LocalPath(try input["from"]).text
            return .page(UndonePage(desk: visit.desk, effects: effects, failures: failures, back: back))
        }
    }
}

extension AppContext {
    /// A number in the path.
    /// - Throws: ``PageError/notFound``
    func pathNumber(_ name: String) throws -> Int64 {
        guard let number = parameters.get(name).flatMap({ Int64($0) }), number > 0 else { throw PageError.notFound }
        return number
    }
}
