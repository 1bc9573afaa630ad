import AsyncHTTPClient
import Ground
import NIOCore
import NIOHTTP1

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension HTTPClientResponse {
    /// Where a redirection leads; nil if this is none.
    func redirectTarget(from url: URL) -> URL? {
        guard [.movedPermanently, .found, .seeOther, .temporaryRedirect, .permanentRedirect].contains(status),
            let location = headers.first(name: "location"),
            let target = URL(string: location, relativeTo: url)?.absoluteURL, WebOrigin(of: target) != nil
        else { return nil }
        return target
    }
}

extension HTTPClientRequest {
    /// Whether the body is there in full, or there is none. The HTTP client knows and does not tell; what its answer cannot be
    /// read from is not sent again.
    var canBeSentAgain: Bool {
        guard let body else { return true }
        guard let mode = Mirror(reflecting: body).children.first(where: { $0.label == "mode" })?.value,
            let kind = Mirror(reflecting: mode).children.first
        else { return false }
        switch kind.label {
        case "byteBuffer": return true
        case "sequence":
            return Mirror(reflecting: kind.value).children.first { $0.label == "canBeConsumedMultipleTimes" }?.value
                as? Bool == true
        default: return false
        }
    }

    /// The request that follows a redirection, as browsers send it: what is for one origin stays there.
    /// - Returns: nil if it would need a body that has been sent and is gone.
    func redirected(from url: URL, to target: URL, status: HTTPResponseStatus) -> HTTPClientRequest? {
        var following = self
        following.url = target.absoluteString
        let becomesGet =
            status == .seeOther ? method != .HEAD : (status == .movedPermanently || status == .found) && method == .POST
        if becomesGet {
            following.method = .GET
            following.body = nil
            for name in ["content-length", "content-type", "content-encoding", "content-language", "content-location"] {
                following.headers.remove(name: name)
            }
        } else if !canBeSentAgain {
            return nil
        }
        following.leave(url, for: target)
        return following
    }

    /// The request by which a page's form goes to the site.
    func submitting(_ form: SelfPostingForm, from url: URL) -> HTTPClientRequest {
        var following = self
        following.leave(url, for: form.action)
        if form.isPost {
            following.url = form.action.absoluteString
            following.method = .POST
            following.body = .bytes(ByteBuffer(string: form.encoded))
            following.headers.replaceOrAdd(name: "content-type", value: "application/x-www-form-urlencoded")
            if let origin = WebOrigin(of: url) {
                following.headers.replaceOrAdd(name: "origin", value: origin.description)
            }
        } else {
            var parts = URLComponents(url: form.action, resolvingAgainstBaseURL: true)
            parts?.percentEncodedQuery = form.encoded
            following.url = parts?.string ?? form.action.absoluteString
        }
        return following
    }

    private mutating func leave(_ url: URL, for target: URL) {
        headers.remove(name: "host")
        guard WebOrigin(of: url) != WebOrigin(of: target) else { return }
        for name in ["authorization", "proxy-authorization", "cookie", "cookie2", "origin"] {
            headers.remove(name: name)
        }
    }

    /// Behind those that the program has set itself, which win.
    mutating func addCookies(_ cookies: [(name: String, value: String)]) {
        let own = headers["cookie"]
        let names = Set(
            own.flatMap { $0.split(separator: ";") }.map {
                $0.prefix { $0 != "=" }.trimmingSpaces
            })
        let added = cookies.filter { !names.contains($0.name) }.map { "\($0.name)=\($0.value)" }
        guard !added.isEmpty else { return }
        headers.replaceOrAdd(name: "cookie", value: (own + added).joined(separator: "; "))
    }
}
