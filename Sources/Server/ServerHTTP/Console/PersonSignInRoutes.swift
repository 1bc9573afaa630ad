import Administration
import ConsolePages
import Hummingbird

/// `/manager/people/{person}/reset-factors`: the way back for a person who has lost phone, passkey and recovery codes.
struct PersonSignInRoutes: Sendable {
    let door: ConsoleDoor
    let sendsMail: Bool

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager/people/{person}/reset-factors", use: ask)
        router.post("manager/people/{person}/reset-factors", use: reset)
    }

    @Sendable private func ask(_ request: Request, context: AppContext) async throws -> Response {
        let reference = try context.person
        return try await door.open(request, context, in: .people, confirmsIdentity: true) { visit in
            let person = try await visit.ask(ShowPerson(person: reference))
            let path = "\(PeopleRoutes.path)/PE-\(person.number)"
            return .page(
                ConfirmPage(
                    desk: visit.desk, section: .people, heading: SignInWords.heading(person),
                    parent: ConsoleLink(.named(person.fullName), to: path),
                    consequences: SignInWords.consequences(sendsMail: visit.getsMail(sendsMail)),
                    preview: try await visit.preview(ResetFactors(person: reference)),
                    action: "\(path)/reset-factors", button: SignInWords.button, isFinal: true))
        }
    }

    @Sendable private func reset(_ request: Request, context: AppContext) async throws -> Response {
        let reference = try context.person
        return try await door.submit(
            request, context, in: .people, from: request.routedPath, confirmsIdentity: true
        ) { visit, input in
            let done = try await visit.perform(ResetFactors(person: reference), ifVersion: try input.version)
            return .next("\(PeopleRoutes.path)/PE-\(done.answer.number)", changes: done.changes)
        }
    }
}
