import Foundation

extension Language {
    /// The date in UTC as the language writes it: "3 April 2026", "2026年4月3日", "2026년 4월 3일".
    func day(_ date: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        guard let year = parts.year, let month = parts.month, let day = parts.day else { return "" }
        return switch self {
        case .english: "\(day) \(Self.englishMonths[month - 1]) \(year)"
        case .japanese: "\(year)年\(month)月\(day)日"
        case .korean: "\(year)년 \(month)월 \(day)일"
        }
    }

    private static let englishMonths = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
}
