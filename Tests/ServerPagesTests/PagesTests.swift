import Testing

@testable import ServerPages

@Suite struct PagesTests {
    let pages: Pages

    init() throws {
        pages = try Pages()
    }

    @Test("every page in every language is whole: no tag, placeholder or key is left", arguments: Language.allCases)
    func rendersWhole(_ language: Language) throws {
        let keys = Set(try Catalogue(language, json: [Resources.catalogue(in: language)]).keys)
        for page in Samples.all {
            let html = pages.render(page, in: language)

            #expect(html.hasPrefix("<!doctype html>\n<html lang=\"\(language.rawValue)\" dir=\"ltr\">"))
            #expect(html.hasSuffix("</html>\n"))
            #expect(!html.contains("{"))
            #expect(!html.contains("}"))
            #expect(html.count(of: "<h1>") == 1)
            // Looking for each of the keys in each page would take half a minute in all.
            let texts = html.split(separator: ">").map { String($0.prefix { $0 != "<" }) }
            #expect(texts.filter(keys.contains) == [])
        }
    }

    @Test("no element is empty where a sentence should be", arguments: Language.allCases)
    func hasNoEmptyText(_ language: Language) {
        for page in Samples.all {
            let html = pages.render(page, in: language)
            for match in html.matches(of: /<(h1|h2|h3|p|label|button|dt|span|strong|a)\b[^>]*>\s*<\/\1>/) {
                Issue.record("empty: \(match.0)")
            }
        }
    }

    @Test("every form of this server carries the CSRF token")
    func carriesToken() {
        for page in Samples.all where !(page is FormPostPage) {
            let html = pages.render(page)
            #expect(html.count(of: "<form") == html.count(of: #"name="csrf_token" value="csrf-token-value""#))
        }
    }

    @Test("the form that goes to the app carries the response and not the CSRF token")
    func keepsTokenFromApp() throws {
        let fields = [HiddenField(name: "code", value: "c-1"), HiddenField(name: "state", value: "\"\u{301}<b>")]
        let response = Form(action: "https://q.example/cb", hiddenFields: fields)
        let page = FormPostPage(appName: "Quizzler", response: response)

        let html = pages.render(page)

        let form = try #require(html.firstMatch(of: /<form[^>]*action="https:\/\/q.example\/cb"[\s\S]*?<\/form>/)).0
        #expect(!form.contains("csrf_token"))
        #expect(form.contains(#"<input type="hidden" name="code" value="c-1">"#))
        #expect(form.contains("<input type=\"hidden\" name=\"state\" value=\"&quot;\u{301}&lt;b&gt;\">"))
    }

    @Test("the message to the app is data of the page, whatever it holds, and no script")
    func keepsMessageOutOfScripts() throws {
        let message = #"{"data":{"error":"</p><script>alert(1)</script>\u2028'"}}"#
        let page = WebMessagePage(appName: "Quizzler", targetOrigin: "https://q.example", message: message)

        let html = pages.render(page)

        let expected = """
            data-message="{&quot;data&quot;:{&quot;error&quot;:&quot;&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;\
            \\u2028&#39;&quot;}}" data-target-origin="https://q.example"
            """
        #expect(html.contains(expected))
        #expect(html.count(of: "<script") == 1)
    }

    @Test("pages need nothing inline, as the content security policy demands")
    func hasNothingInline() {
        for page in Samples.all {
            let html = pages.render(page)
            #expect(!html.contains("style="))
            #expect(!html.contains("<style"))
            #expect(html.matches(of: /<script[^>]*>/).allSatisfy { $0.0.contains(" src=\"/assets/") })
            #expect(html.matches(of: /\son\w+=/).isEmpty)
        }
    }

    @Test("a page with all its assets weighs less than 60 kB", arguments: Language.allCases)
    func isLight(_ language: Language) {
        let assets = pages.assets.map(\.bytes.count).reduce(0, +)
        for page in Samples.all {
            #expect(pages.render(page, in: language).utf8.count + assets < 60_000)
        }
    }

    @Test("the language switch posts the language and the way back, and marks the present one")
    func switchesLanguage() {
        let html = pages.render(SignedOutPage(signInPath: "/"), in: .korean)

        #expect(html.contains(#"<form class="languages" method="post" action="/language""#))
        #expect(html.contains(#"name="return_to" value="/auth/oauth2/v2/authorize?client_id=a&amp;state=b""#))
        #expect(html.contains(#"<button name="language" value="ja" lang="ja">日本語</button>"#))
        #expect(html.contains(#"<button name="language" value="ko" lang="ko" aria-current="true">한국어</button>"#))
    }

    @Test("assets are addressed by their content, and pages refer to them")
    func addressesAssets() {
        let html = pages.render(SignedOutPage(signInPath: "/"))

        #expect(
            pages.assets.map(\.contentType) == [
                "text/css; charset=utf-8", "text/javascript; charset=utf-8", "image/svg+xml",
            ])
        for asset in pages.assets {
            #expect(html.contains("\"\(asset.path)\""))
            #expect(asset.path.wholeMatch(of: /\/assets\/lanyard-[0-9a-f]{16}\.(css|js|svg)/) != nil)
        }
        let changed = Asset(fileExtension: "css", contentType: "text/css", bytes: pages.assets[0].bytes + [0x20])
        #expect(changed.path != pages.assets[0].path)
    }
}
