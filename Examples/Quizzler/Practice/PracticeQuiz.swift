/// A few questions for everyone who is signed in, with or without classes.
enum PracticeQuiz {
    struct Question {
        let text: String
        let answers: [String]
        /// An index of `answers`.
        let right: Int
    }

    static let questions = [
        Question(
            text: "Which planet has the shortest year?", answers: ["Mars", "Mercury", "Venus", "Earth"], right: 1),
        Question(text: "What is 7 × 8?", answers: ["54", "63", "48", "56"], right: 3),
        Question(
            text: "Which of these is a mammal?", answers: ["Dolphin", "Penguin", "Shark", "Crocodile"], right: 0),
    ]

    /// - Parameter choices: An index of each question's answers; nil where none was chosen.
    static func score(_ choices: [Int?]) -> Int {
        zip(questions, choices).count { question, choice in question.right == choice }
    }
}
