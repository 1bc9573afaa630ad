import Foundation

/// The words of slips in one language.
package enum SlipLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case japanese = "ja"
    case korean = "ko"
}

extension SlipLanguage {
    var address: String {
        switch self {
        case .english: "Sign in at"
        case .japanese: "サインインするページ"
        case .korean: "로그인 주소"
        }
    }

    var userName: String {
        switch self {
        case .english: "User name"
        case .japanese: "ユーザ名"
        case .korean: "사용자 이름"
        }
    }

    var password: String {
        switch self {
        case .english: "Temporary password"
        case .japanese: "一時パスワード"
        case .korean: "임시 암호"
        }
    }

    var advice: String {
        switch self {
        case .english: "You will choose your own password when you sign in."
        case .japanese: "サインインすると、自分のパスワードを決める画面になります。"
        case .korean: "로그인하면 자신만의 암호를 정하게 됩니다."
        }
    }

    func validity(until day: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.year, .month, .day], from: day)
        let (year, month, day) = (parts.year ?? 0, parts.month ?? 1, parts.day ?? 1)
        return switch self {
        case .english: "Valid until \(day) \(Self.months[month - 1]) \(year)."
        case .japanese: "\(year)年\(month)月\(day)日まで有効です。"
        case .korean: "\(year)년 \(month)월 \(day)일까지 유효합니다."
        }
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    func page(_ number: Int, of count: Int) -> String {
        switch self {
        case .english: "Page \(number) of \(count)"
        case .japanese: "\(count)ページ中\(number)ページ"
        case .korean: "\(count)쪽 중 \(number)쪽"
        }
    }
}
