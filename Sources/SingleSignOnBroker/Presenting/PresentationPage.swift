import NIOCore
import NIOHTTP1
import SingleSignOnWire

/// The pages that the desktop's browser shows. Plain, without script, for one use.
enum PresentationPage {
    static func send(
        _ form: PresentationForm, step: Int, at path: String, _ asker: DesktopPresenter.Asker, to exchange: HTTPExchange
    ) {
        let words = Words(exchange.head.headers["Accept-Language"].first ?? "")
        var body = "<h1>\(form.title.escaped)</h1>"
        if let text = form.text { body += "<p>\(text.escaped)</p>" }
        if let problem = form.problem { body += "<p role=\"alert\" class=\"problem\">\(problem.escaped)</p>" }
        body += "<form method=\"post\" action=\"\(path)\"><input type=\"hidden\" name=\"step\" value=\"\(step)\">"
        let first = form.fields.first { $0.kind != .checkbox && ($0.value ?? "").isEmpty }?.name
        for field in form.fields { body += input(field, hasFocus: field.name == first) }
        body += "<div class=\"actions\"><button>\(form.submit.escaped)</button>"
        body +=
            "<button name=\"cancel\" value=\"1\" class=\"second\" formnovalidate>\(words.cancel)</button></div></form>"
        body += "<p class=\"note\">\(words.askedBy(asker.callerName.escaped, asker.extensionName.escaped))</p>"
        answer(exchange, .ok, form.title, body, words)
    }

    /// The end of a request.
    static func done(_ exchange: HTTPExchange) {
        let words = Words(exchange.head.headers["Accept-Language"].first ?? "")
        answer(exchange, .ok, words.done, "<h1>\(words.done)</h1><p>\(words.close)</p>", words)
    }

    static func gone(_ exchange: HTTPExchange, _ status: HTTPResponseStatus) {
        let words = Words(exchange.head.headers["Accept-Language"].first ?? "")
        answer(exchange, status, words.gone, "<h1>\(words.gone)</h1><p>\(words.close)</p>", words)
    }

    private static func input(_ field: PresentationForm.Field, hasFocus: Bool) -> String {
        let name = "f.\(field.name)".escaped
        let focus = hasFocus ? " autofocus" : ""
        let value = field.value.map { " value=\"\($0.escaped)\"" } ?? ""
        switch field.kind {
        case .checkbox:
            return """
                <label class="check"><input type="checkbox" name="\(name)" value="true"\
                \(field.value == "true" ? " checked" : "")> \(field.label.escaped)</label>
                """
        case .text:
            return """
                <label>\(field.label.escaped)<input name="\(name)"\(value)\(focus) autocomplete="username" \
                autocapitalize="none" spellcheck="false"></label>
                """
        case .password:
            return """
                <label>\(field.label.escaped)<input type="password" name="\(name)"\(focus) \
                autocomplete="current-password"></label>
                """
        case .oneTimeCode:
            return """
                <label>\(field.label.escaped)<input name="\(name)"\(focus) inputmode="numeric" \
                autocomplete="one-time-code"></label>
                """
        }
    }

    private static func answer(
        _ exchange: HTTPExchange, _ status: HTTPResponseStatus, _ title: String, _ body: String, _ words: Words
    ) {
        let page = """
            <!doctype html><html lang="\(words.language)"><meta charset="utf-8">\
            <meta name="viewport" content="width=device-width, initial-scale=1"><title>\(title.escaped)</title>\
            <style>\(style)</style><main>\(body)</main></html>
            """
        exchange.answer(
            status, ByteBuffer(string: page), type: "text/html; charset=utf-8",
            headers: [
                // With a stricter policy browsers send the form with the origin “null”.
                "Cache-Control": "no-store", "Referrer-Policy": "same-origin", "X-Content-Type-Options": "nosniff",
                "Connection": "close",
                "Content-Security-Policy":
                    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
            ])
    }

    private static let style = """
        :root{color-scheme:light dark;--text:#1d1d1f;--second:#6e6e73;--back:#f5f5f7;--card:#fff;--line:#c7c7cc;\
        --accent:#0b5cad;--on:#fff;--bad:#b3261e}\
        @media(prefers-color-scheme:dark){:root{--text:#f5f5f7;--second:#a1a1a6;--back:#000;--card:#1c1c1e;\
        --line:#48484a;--accent:#63a8f0;--on:#00213f;--bad:#ff8a80}}\
        *{box-sizing:border-box}body{margin:0;background:var(--back);color:var(--text);\
        font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}\
        main{max-width:26rem;margin:10vh auto 2rem;padding:2rem;background:var(--card);border-radius:1rem}\
        @media(max-width:30rem){main{margin:0;border-radius:0;min-height:100vh;padding:1.5rem}}\
        h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}label{display:block;margin:0 0 1rem;color:var(--second)}\
        label.check{color:var(--text)}input:not([type=checkbox]){display:block;width:100%;min-height:2.75rem;\
        margin-top:.25rem;padding:.5rem .75rem;font:inherit;color:var(--text);background:transparent;\
        border:1px solid var(--line);border-radius:.5rem}\
        .actions{display:flex;flex-direction:column;gap:.5rem;margin-top:1.5rem}button{min-height:2.75rem;font:inherit;\
        font-weight:600;border:0;border-radius:.5rem;background:var(--accent);color:var(--on);cursor:pointer}\
        button.second{background:transparent;color:var(--accent)}:focus-visible{outline:3px solid var(--accent);\
        outline-offset:2px}.problem{color:var(--bad)}.note{color:var(--second);font-size:.875rem;margin:1.5rem 0 0}
        """

    /// The few words that are not the extension's.
    private struct Words {
        let language: String
        let cancel: String
        let done: String
        let close: String
        let gone: String

        init(_ accepted: String) {
            let wanted = accepted.split(separator: ",").map { $0.trimmingPrefix { $0 == " " }.prefix(2).lowercased() }
            switch wanted.first(where: { ["en", "ja", "ko"].contains($0) }) {
            case "ja":
                (language, cancel, done) = ("ja", "キャンセル", "完了しました")
                (close, gone) = ("このページを閉じてかまいません。", "このページは使用できなくなりました")
            case "ko":
                (language, cancel, done) = ("ko", "취소", "완료되었습니다")
                (close, gone) = ("이 페이지를 닫아도 됩니다.", "이 페이지는 더 이상 사용할 수 없습니다")
            default:
                (language, cancel, done) = ("en", "Cancel", "Done")
                (close, gone) = ("You can close this page.", "This page is not available any more")
            }
        }

        func askedBy(_ caller: String, _ name: String) -> String {
            switch language {
            case "ja": "「\(caller)」からの要求です。\(name)が応答します。"
            case "ko": "‘\(caller)’의 요청입니다. \(name)이(가) 응답합니다."
            default: "Asked for by \(caller). Answered by \(name)."
            }
        }
    }
}

extension String {
    fileprivate var escaped: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
