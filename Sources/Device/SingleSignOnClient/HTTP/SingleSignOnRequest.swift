import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request of some HTTP client, with the parts that ``SingleSignOnFlow`` reads and changes.
package protocol SingleSignOnRequest: Sendable {
    /// The URL exactly as the program has written it.
    var url: String { get set }
    /// The method in capitals, such as `GET`.
    var verb: String { get set }
    var headerFields: [HeaderField] { get set }
    /// Whether sending it a second time sends the same body: there is none, or all of it is in memory.
    var canBeSentAgain: Bool { get }

    /// - Parameter text: nil for no body.
    mutating func setBody(_ text: String?)
}

/// A response of some HTTP client.
package protocol SingleSignOnResponse: Sendable {
    var statusCode: Int { get }
    var headerFields: [HeaderField] { get }
    /// The certificate of the server in DER; nil without TLS, or if the client does not tell it.
    var serverCertificate: Data? { get }

    /// Reads and discards the body, within bounds of size and time, so that the connection can be used again.
    func drain() async
}

extension SingleSignOnRequest {
    /// The request that follows a redirection, as browsers send it: headers for one origin are not sent to another.
    /// RFC 9110 section 15.4.
    /// - Returns: nil if it would need a body that can be sent only once, and has been sent.
    func redirected(from url: URL, to target: URL, status: Int) -> Self? {
        var following = self
        following.url = target.absoluteString
        let becomesGet = status == 303 ? verb != "HEAD" : (status == 301 || status == 302) && verb == "POST"
        if becomesGet {
            following.verb = "GET"
            following.setBody(nil)
            following.headerFields.remove([
                "content-length", "content-type", "content-encoding", "content-language", "content-location",
            ])
        } else if !canBeSentAgain {
            return nil
        }
        following.leave(url, for: target)
        return following
    }

    /// The request that submits a page's form to the site.
    func submitting(_ form: SelfPostingForm, from url: URL) -> Self {
        var following = self
        following.leave(url, for: form.action)
        if form.isPost {
            following.url = form.action.absoluteString
            following.verb = "POST"
            following.setBody(form.encoded)
            following.headerFields.replace("content-type", with: FormEncoding.contentType)
            if let origin = WebOrigin(of: url) { following.headerFields.replace("origin", with: origin.description) }
        } else {
            var parts = URLComponents(url: form.action, resolvingAgainstBaseURL: true)
            parts?.percentEncodedQuery = form.encoded
            following.url = parts?.string ?? form.action.absoluteString
        }
        return following
    }

    private mutating func leave(_ url: URL, for target: URL) {
        headerFields.remove(["host"])
        guard WebOrigin(of: url) != WebOrigin(of: target) else { return }
        headerFields.remove(["authorization", "proxy-authorization", "cookie", "cookie2", "origin"])
    }

    /// Adds cookies after those that the program has set itself, which have precedence.
    mutating func addCookies(_ cookies: [(name: String, value: String)]) {
        let own = headerFields.values(of: "cookie")
        let names = Set(own.flatMap { $0.split(separator: ";") }.map { $0.prefix { $0 != "=" }.trimmingSpaces })
        let added = cookies.filter { !names.contains($0.name) }.map { "\($0.name)=\($0.value)" }
        guard !added.isEmpty else { return }
        headerFields.replace("cookie", with: (own + added).joined(separator: "; "))
    }
}

extension SingleSignOnResponse {
    package var serverCertificate: Data? { nil }

    /// The target of a redirection; nil if the response is no redirection, or leads to something else than an HTTP or
    /// HTTPS URL.
    func redirectTarget(from url: URL) -> URL? {
        guard [301, 302, 303, 307, 308].contains(statusCode), let location = headerFields["location"],
            let target = URL(string: location, relativeTo: url)?.absoluteURL, WebOrigin(of: target) != nil
        else { return nil }
        return target
    }
}

extension [HeaderField] {
    /// - Parameter names: in small letters.
    package mutating func remove(_ names: Set<String>) { removeAll { names.contains($0.name.lowercased()) } }

    /// - Parameter name: in small letters.
    package mutating func replace(_ name: String, with value: String) {
        remove([name])
        append(HeaderField(name, value))
    }
}
