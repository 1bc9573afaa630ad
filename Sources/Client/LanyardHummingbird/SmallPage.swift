import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// A plain page for steps of the sign-in, in the browser's own style, light or dark.
struct SmallPage {
    let title: String
    /// The content as HTML.
    let content: String
    /// The hash of the page's script for the content security policy; nil if it has none.
    var scriptHash: String?

    func response(_ status: HTTPResponse.Status) -> Response {
        let html = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title.escapedForHTML)</title>
            \(content)
            </html>

            """
        let script = scriptHash.map { "script-src 'sha256-\($0)'; " } ?? ""
        return Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentSecurityPolicy:
                    "default-src 'none'; \(script)form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
                .xContentTypeOptions: "nosniff", HTTPField.Name("Referrer-Policy")!: "same-origin",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }
}

extension String {
    var escapedForHTML: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
    }
}
