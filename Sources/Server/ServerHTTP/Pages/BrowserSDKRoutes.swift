import BrowserSDK
import Hummingbird

/// The script for web pages of apps, at the path that existing pages use and as `/lanyard.js`, and its type
/// declarations.
struct BrowserSDKRoutes: Sendable {
    func mount(on router: some RouterMethods<AppContext>) {
        let script = PublicFile(BrowserScript.text, contentType: "text/javascript; charset=utf-8")
        // The script reads the locale from its own address, so one file serves all languages.
        router.get("appleauth/static/jsapi/appleid/1/{locale}/appleid.auth.js") { request, _ in
            script.response(to: request)
        }
        router.get("lanyard.js") { request, _ in script.response(to: request) }
        let declarations = PublicFile(BrowserScript.declarations, contentType: "application/typescript; charset=utf-8")
        router.get("lanyard.d.ts") { request, _ in declarations.response(to: request) }
    }
}
