import Hummingbird
import LanyardHummingbird

/// The practice quiz. It needs sign-in, because it stores each person's best result.
struct PracticeRoutes: Sendable {
    let people: PeopleStore
    let pages: Pages

    func mount(on router: some RouterMethods<QuizzlerContext>) {
        router.get("practice", use: questions)
        router.post("practice", use: answers)
    }

    @Sendable func questions(_ request: Request, context: QuizzlerContext) async throws -> Response {
        try pages.response(PracticePage(csrfToken: context.csrfToken))
    }

    @Sendable func answers(_ request: Request, context: QuizzlerContext) async throws -> Response {
        let person = try context.requirePerson()
        let fields = try await request.checkedForm(context)
        let score = PracticeQuiz.score(PracticeQuiz.questions.indices.map { fields["q\($0)"].flatMap { Int($0) } })
        try await people.keep(score: score, of: person.id)
        return try pages.response(MessagePage.scored(score, of: PracticeQuiz.questions.count))
    }
}
