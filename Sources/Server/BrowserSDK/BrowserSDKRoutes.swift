import BrowserSDK
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Storage

/// The script for web pages of apps, at the path that existing pages know and as `/lanyard.js`, and its types.
struct BrowserSDKRoutes: Sendable {
    func mount(on router: some RouterMethods<AppContext>) {
        let script = PublicFile(BrowserScript.text, contentType: "text/javascript; charset=utf-8")
        // The script reads the locale from its own address, so all languages are one file.
        router.get("appleauth/static/jsapi/appleid/1/{locale}/appleid.auth.js") { request, _ in
            script.response(to: request)
        }
        router.get("lanyard.js") { request, _ in script.response(to: request) }
        let declarations = PublicFile(BrowserScript.declarations, contentType: "application/typescript; charset=utf-8")
        router.get("lanyard.d.ts") { request, _ in declarations.response(to: request) }
    }
}

/// A file that pages of any site may load, under an address that outlives its content: browsers keep it for an hour,
/// then ask whether it is still the same.
private struct PublicFile: Sendable {
    let bytes: ByteBuffer
    let headers: HTTPFields
    let entityTag: String

    init(_ bytes: [UInt8], contentType: String) {
        self.bytes = ByteBuffer(bytes: bytes)
        entityTag = "\"\(Array(SHA256.hash(data: bytes).prefix(16)).hexadecimal)\""
        headers = [
            .contentType: contentType,
            .eTag: entityTag,
            .cacheControl: "public, max-age=3600",
            .resourcePolicy: "cross-origin",
            .accessControlAllowOrigin: "*",
        ]
    }

    func response(to request: Request) -> Response {
        guard !isKnown(to: request) else { return Response(status: .notModified, headers: headers) }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: bytes))
    }

    /// Compares as RFC 9110 §13.1.2 says: weakly, with any of a list, or with `*`.
    private func isKnown(to request: Request) -> Bool {
        request.headers[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }.contains { tag in
            ["*", entityTag, "W/" + entityTag].contains(tag.trimmingCharacters(in: .whitespaces))
        }
    }
}
