import BrowserSDK
import Hummingbird

/// The script for web pages of apps, at the path that existing pages use and as `/lanyard.js`, and its type
/// declarations.
struct BrowserSDKRoutes: Sendable {
    func mount(on router: some RouterMethods<AppContext>, _ standing: inout StandingAnswers) {
        let script = PublicFile(BrowserScript.text, contentType: "text/javascript; charset=utf-8")
        // The script reads the locale from its own address, so one file serves all languages.
        router.get("appleauth/static/jsapi/appleid/1/{locale}/appleid.auth.js") { request, _ in
            Response(script.answer(to: request.headers))
        }
        standing.serve("/lanyard.js", on: router, script.answer)
        let declarations = PublicFile(BrowserScript.declarations, contentType: "application/typescript; charset=utf-8")
        standing.serve("/lanyard.d.ts", on: router, declarations.answer)
    }
}
