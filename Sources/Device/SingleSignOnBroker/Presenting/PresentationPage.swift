import BrowserExtension
import Ground
import NIOCore
import NIOHTTP1
import SingleSignOnWire

/// The pages that the desktop's browser shows. They look as those of the browser extension, and have no script.
enum PresentationPage {
    static func send(
        _ form: PresentationForm, step: Int, at path: String, _ asker: DesktopPresenter.Asker, to exchange: HTTPExchange
    ) {
        let words = Words(exchange.head.headers["Accept-Language"].first ?? "")
        var body = "<h1 dir=\"auto\">\(form.title.shown(max: 120))</h1>"
        if let text = form.text { body += "<p class=\"lead\" dir=\"auto\">\(text.shown(max: 600))</p>" }
        body += answering(asker, words)
        if let problem = form.problem {
            body += "<div class=\"message\" role=\"alert\"><p dir=\"auto\">\(problem.shown(max: 600))</p></div>"
        }
        body += """
            <form class="stack" method="post" action="\(path)"><input type="hidden" name="step" value="\(step)">
            """
        let first = form.fields.first { $0.kind != .checkbox && ($0.value ?? "").isEmpty }?.name
        for (number, field) in form.fields.enumerated() {
            body += input(field, number, hasFocus: field.name == first)
        }
        body += """
            <div class="choice"><button class="primary">\(form.submit.shown(max: 120))</button>\
            <button class="secondary" name="cancel" value="1" formnovalidate>\(words.cancel)</button></div></form>
            """
        answer(exchange, .ok, form.title.shown(max: 120), body, words)
    }

    /// Redirects to a web page. The browser is not started with the page's own URL: it says who signs in and how, and
    /// every user of the device can read the arguments of a program.
    static func lead(_ exchange: HTTPExchange, to url: String) {
        exchange.answer(
            .seeOther, ByteBuffer(), type: "text/plain",
            headers: [
                "Location": url, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "Connection": "close",
            ])
    }

    /// Says that the request is complete.
    static func done(_ exchange: HTTPExchange) {
        let words = Words(exchange.head.headers["Accept-Language"].first ?? "")
        answer(exchange, .ok, words.done, "<h1>\(words.done)</h1><p class=\"lead\">\(words.close)</p>", words)
    }

    /// Says that the page is not available any more.
    static func gone(_ exchange: HTTPExchange, _ status: HTTPResponseStatus) {
        let words = Words(exchange.head.headers["Accept-Language"].first ?? "")
        answer(exchange, status, words.gone, "<h1>\(words.gone)</h1><p class=\"lead\">\(words.again)</p>", words)
    }

    /// Says which extension answers, for which organization, and which caller asks.
    private static func answering(_ asker: DesktopPresenter.Asker, _ words: Words) -> String {
        let name = asker.organization ?? asker.extensionName
        let means = asker.organization == nil ? nil : asker.extensionName
        return """
            <div class="who"><div class="person">\(badge(name))<p><strong><bdi>\(name.shown())</bdi></strong>\
            <span>\(words.signsIn(with: means.map(isolated)))</span></p></div>\
            <p>\(words.askedBy(isolated(asker.callerName), isKnown: asker.isCallerKnown))</p></div>
            """
    }

    private static func isolated(_ name: String) -> String { "<bdi>\(name.shown())</bdi>" }

    /// Initials on a tone that is computed from the name, by the same rule as in the browser extension's `cards.js`.
    private static func badge(_ name: String) -> String {
        let words = name.split(whereSeparator: \.isWhitespace)
        let count = words.first?.first?.isCased == true ? 2 : 1
        let tone = name.unicodeScalars.reduce(7) { ($0 * 31 + Int($1.value)) % 4_096 } % 8
        let initials = String(words.prefix(count).compactMap(\.first)).uppercased()
        return "<span class=\"badge tone-\(tone)\" aria-hidden=\"true\">\(initials.shown())</span>"
    }

    private static func input(_ field: PresentationForm.Field, _ number: Int, hasFocus: Bool) -> String {
        let name = "f.\(field.name)".escaped
        let label = field.label.shown(max: 120)
        var attributes = ""
        switch field.kind {
        case .checkbox:
            return """
                <label class="option"><input type="checkbox" name="\(name)" value="true"\
                \(field.value == "true" ? " checked" : "")><span dir="auto">\(label)</span></label>
                """
        case .text:
            attributes = " autocomplete=\"username\" autocapitalize=\"none\" spellcheck=\"false\""
            if let value = field.value { attributes += " value=\"\(value.escaped)\"" }
        // Chromium would offer to store a password for this address, at which another program may listen later.
        case .password: attributes = " type=\"password\" autocomplete=\"one-time-code\""
        case .oneTimeCode: attributes = " class=\"code\" inputmode=\"numeric\" autocomplete=\"one-time-code\""
        }
        if hasFocus { attributes += " autofocus" }
        return """
            <div class="field"><label for="field-\(number)" dir="auto">\(label)</label>\
            <div class="control"><input id="field-\(number)" name="\(name)"\(attributes)></div></div>
            """
    }

    private static func answer(
        _ exchange: HTTPExchange, _ status: HTTPResponseStatus, _ title: String, _ body: String, _ words: Words
    ) {
        let page = """
            <!doctype html><html lang="\(words.language)"><meta charset="utf-8">\
            <meta name="viewport" content="width=device-width, initial-scale=1"><title>\(title) – Lanyard</title>\
            <link rel="icon" href="data:image/svg+xml;base64,\(BrowserExtension.icon)">\
            <style>\(BrowserExtension.style)</style><body>\(BrowserExtension.strap)<main class="card">\(body)</main>\
            <footer><p><span class="product">Lanyard</span> · \(words.here)</p></footer></html>
            """
        exchange.answer(
            status, ByteBuffer(string: page), type: "text/html; charset=utf-8",
            headers: [
                // With a stricter policy browsers send the form with the origin “null”.
                "Cache-Control": "no-store", "Referrer-Policy": "same-origin", "X-Content-Type-Options": "nosniff",
                "Connection": "close",
                "Content-Security-Policy": """
                default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; \
                frame-ancestors 'none'; base-uri 'none'
                """,
            ])
    }

    /// The words on the page that do not come from the extension, in English, Japanese or Korean.
    private struct Words {
        let language: String
        let cancel: String
        let done: String
        let close: String
        let gone: String
        let again: String
        let here: String

        init(_ accepted: String) {
            let wanted = accepted.split(separator: ",").map { $0.trimmingPrefix { $0 == " " }.prefix(2).lowercased() }
            switch wanted.first(where: { ["en", "ja", "ko"].contains($0) }) {
            case "ja":
                (language, cancel, done) = ("ja", "キャンセル", "完了しました")
                (close, gone) = ("このページを閉じてかまいません。", "このページは使用できなくなりました")
                again = "このページを閉じて、サインインを求めたプログラムでもう一度お試しください。"
                here = "このページはこのデバイスの中にあります。"
            case "ko":
                (language, cancel, done) = ("ko", "취소", "완료되었습니다")
                (close, gone) = ("이 페이지를 닫아도 됩니다.", "이 페이지는 더 이상 사용할 수 없습니다")
                again = "이 페이지를 닫고 로그인을 요청한 프로그램에서 다시 시도하십시오."
                here = "이 페이지는 이 기기 안에 있습니다."
            default:
                (language, cancel, done) = ("en", "Cancel", "Done")
                (close, gone) = ("You can close this page.", "This page is not available any more")
                again = "Close it, and try again in the program that wants you to sign in."
                here = "This page is on your own device."
            }
        }

        /// - Parameter isKnown: whether no program of the person can have chosen the caller's name.
        func askedBy(_ caller: String, isKnown: Bool) -> String {
            switch (language, isKnown) {
            case ("ja", true): "「\(caller)」からの要求です。"
            case ("ja", false): "プログラム（\(caller)）からの要求です。"
            case ("ko", true): "‘\(caller)’의 요청입니다."
            case ("ko", false): "프로그램(\(caller))의 요청입니다."
            case (_, true): "Asked for by \(caller)."
            case (_, false): "Asked for by a program (\(caller))."
            }
        }

        /// In the words of the browser extension.
        func signsIn(with extensionName: String?) -> String {
            switch (language, extensionName) {
            case ("ja", let name?): "\(name)でサインイン"
            case ("ja", nil): "このデバイスでサインイン"
            case ("ko", let name?): "로그인에 사용: \(name)"
            case ("ko", nil): "이 기기에서 로그인합니다"
            case (_, let name?): "Signs you in with \(name)"
            case (_, nil): "Signs you in on this device"
            }
        }
    }
}

extension String {
    /// Escapes text for HTML, without characters that change the direction of the text around it, and cut to `max`
    /// characters. The same rule as in `cards.js`.
    fileprivate func shown(max: Int = 80) -> String {
        let plain = String(
            String.UnicodeScalarView(
                unicodeScalars.map {
                    $0.isDirectionControl || Self.marks.contains($0)
                        || ($0 != "\n" && $0.isControlCode) ? " " : $0
                }
            ))
        return (plain.count > max ? "\(plain.prefix(max - 1))…" : plain).escaped
    }

    private static let marks: Set<Unicode.Scalar> = ["\u{200e}", "\u{200f}", "\u{61c}"]

    fileprivate var escaped: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
