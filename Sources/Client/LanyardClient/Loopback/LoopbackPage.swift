/// The page that a person sees when the browser comes back to a program on this machine.
enum LoopbackPage: CaseIterable {
    case done
    case cancelled
    case refused

    /// - Parameter acceptLanguage: the header. The page is in English unless Japanese or Korean comes first.
    func html(acceptLanguage: String) -> String {
        let language = Self.language(acceptLanguage)
        let (title, text) = words(language)
        return """
            <!doctype html>
            <html lang="\(language)">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title)</title>
            <style>
            body { font: 1.0625rem/1.5 system-ui, sans-serif; margin: 20vh auto 0; max-width: 24rem; padding: 0 1.5rem; \
            text-align: center }
            h1 { font-size: 1.5rem; font-weight: 600 }
            </style>
            <main>
            <h1>\(title)</h1>
            <p>\(text)</p>
            </main>
            </html>

            """
    }

    private static func language(_ acceptLanguage: String) -> String {
        for entry in acceptLanguage.split(separator: ",") {
            let tag = entry.drop { $0 == " " }.prefix { $0.isLetter }.lowercased()
            if ["en", "ja", "ko"].contains(tag) { return tag }
        }
        return "en"
    }

    private func words(_ language: String) -> (title: String, text: String) {
        switch (self, language) {
        case (.done, "ja"): ("サインインしました", "このウインドウを閉じて、アプリに戻ってください。")
        case (.done, "ko"): ("로그인했습니다", "이 창을 닫고 앱으로 돌아가십시오.")
        case (.done, _): ("You’re signed in", "You can close this window and go back to the app.")
        case (.cancelled, "ja"): ("サインインしませんでした", "アプリには何も共有されていません。このウインドウは閉じて構いません。")
        case (.cancelled, "ko"): ("로그인하지 않았습니다", "앱과 공유된 정보가 없습니다. 이 창을 닫아도 됩니다.")
        case (.cancelled, _): ("You’re not signed in", "Nothing was shared with the app. You can close this window.")
        case (.refused, "ja"): ("このページは表示できません", "アプリに戻って、もう一度サインインしてください。")
        case (.refused, "ko"): ("이 페이지를 표시할 수 없습니다", "앱으로 돌아가서 다시 로그인하십시오.")
        case (.refused, _): ("Nothing to see here", "Go back to the app, and sign in again from there.")
        }
    }
}
