/// The questions, each with four answers to choose from.
struct PracticePage: Page {
    struct Question {
        let text: String
        let answers: [Answer]
    }

    struct Answer {
        let field: String
        let value: Int
        let text: String
        let shape: Int
    }

    let questions: [Question]
    let token: String

    init(csrfToken: String) {
        token = csrfToken
        questions = PracticeQuiz.questions.enumerated().map { number, question in
            Question(
                text: question.text,
                answers: question.answers.enumerated().map { index, text in
                    Answer(field: "q\(number)", value: index, text: text, shape: index % 4)
                })
        }
    }

    static let name = "practice"
    static let template = """
        {{$title}}Practice quiz · Quizzler{{/title}}
        {{$content}}
        <p class="trail"><a href="/">Your page</a></p>
        <h1>Practice quiz</h1>
        <form class="quiz" method="post" action="/practice">
        <input type="hidden" name="csrf" value="{{token}}">
        {{#questions}}
        <fieldset><legend>{{text}}</legend>
        {{#answers}}
        <label class="choice"><input type="radio" name="{{field}}" value="{{value}}">
        <span class="tile shape-{{shape}}" aria-hidden="true"></span>{{text}}</label>
        {{/answers}}
        </fieldset>
        {{/questions}}
        <button class="button">See how well you did</button>
        </form>
        {{/content}}
        """
}
