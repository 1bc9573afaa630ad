/// The pictures: each as a drawing, and for terminals as letters that stand for colours.
enum Picture: String, CaseIterable, Sendable {
    case burger, tacos

    var title: String {
        switch self {
        case .burger: "The burger"
        case .tacos: "The tacos"
        }
    }

    var svg: String {
        switch self {
        case .burger: burgerDrawing
        case .tacos: tacosDrawing
        }
    }

    var letters: String {
        switch self {
        case .burger: burgerLetters
        case .tacos: tacosLetters
        }
    }
}
