/// A stage of schooling: its grades, what is taught, and who teaches it.
enum SchoolKind: CaseIterable, Sendable {
    case primary
    case middle
    case secondary

    var grades: ClosedRange<Int> {
        switch self {
        case .primary: 0...5
        case .middle: 6...8
        case .secondary: 9...12
        }
    }

    var title: String {
        switch self {
        case .primary: "Primary School"
        case .middle: "Middle School"
        case .secondary: "Secondary School"
        }
    }

    /// Whether one class teacher gives a section all its subjects; otherwise every subject has teachers of its own.
    var hasClassTeachers: Bool {
        self == .primary
    }

    /// The last subject of each list is the one for which teachers of another school come over.
    var subjects: [Subject] {
        switch self {
        case .primary:
            [
                Subject(code: "READ", name: "Reading"),
                Subject(code: "MATH", name: "Mathematics"),
                Subject(code: "NAT", name: "Nature"),
                Subject(code: "ART", name: "Art, Music and Crafts"),
                Subject(code: "SPA", name: "Spanish"),
            ]
        case .middle:
            [
                Subject(code: "SPA", name: "Spanish"),
                Subject(code: "ENG", name: "English"),
                Subject(code: "MATH", name: "Mathematics"),
                Subject(code: "SCI", name: "Science"),
                Subject(code: "HIST", name: "World History"),
                Subject(code: "ART", name: "Art, Design and Technology"),
                Subject(code: "MUS", name: "Music"),
            ]
        case .secondary:
            [
                Subject(code: "MUS", name: "Music"),
                Subject(code: "LIT", name: "Literature"),
                Subject(code: "MATH", name: "Mathematics"),
                Subject(code: "BIO", name: "Biology"),
                Subject(code: "CHEM", name: "Chemistry"),
                Subject(code: "HIST", name: "History and Civics"),
                Subject(code: "CS", name: "Computing"),
                Subject(code: "PE", name: "Physical Education"),
            ]
        }
    }
}

/// A subject; with a grade it makes a course, such as `Biology 11` with the number `BIO11`.
struct Subject: Sendable {
    let code: String
    let name: String
}
