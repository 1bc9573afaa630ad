/// What there is to see: as a drawing, and for terminals as a few letters, each of which stands for a colour.
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
