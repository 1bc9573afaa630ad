import Ground
import SingleSignOnWire
import WebClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Follows a provider's redirects, pages and forms as a browser would, with the user's cookies, until they lead out of
/// it.
///
/// Only the provider's own URLs are fetched, and what a person types is sent to them only.
struct WebSession: Sendable {
    static let hopsMax = 20
    static let questionsMax = 10

    let http: HTTPClient
    let boundary: ProviderBoundary
    let settings: Settings
    /// The headers of the caller's request. `User-Agent` and `Accept-Language` are passed on.
    var headers: [HeaderField] = []
    var isInteractive: Bool
    /// Shows a form and returns its values by field name; nil if the person cancels.
    let present: @Sendable (PresentationForm) async throws -> [String: String]?
    /// Whether to stop at a URL even if the provider may own it, such as an app's return URL.
    var isDestination: @Sendable (URL) -> Bool = { _ in false }
    /// Signs in to the provider at a URL with the device's key. Returns whether that succeeded.
    var signInSilently: @Sendable (URL) async -> Bool = { _ in false }

    enum Ending: Sendable {
        /// The provider redirects to this URL, which is not its own.
        case left(URL)
        /// The provider posts a form to a URL that is not its own.
        case posts(SelfPostingPage)
        /// Only a browser can continue, for this reason.
        case unreadable(String)
        /// The provider answers with status 400: the request is wrong, and a browser would get the same answer.
        case refused(String)
        case canceled
    }

    /// - Throws: `AuthorizationFailure` with the code `notInteractive` if the person would have to be asked and must
    ///   not be; ``HTTPFailure``; `CancellationError`.
    func run(_ start: HTTPRequest) async throws -> Ending {
        var next = start
        var hops = 0
        var questions = 0
        var answered: PageForm?
        var hasTriedDevice = false
        var posted: Set<[Data]> = []
        while true {
            try Task.checkCancellation()
            if isOutside(next.url) { return ending(next) }
            hops += 1
            guard hops <= Self.hopsMax else {
                return .unreadable("\(start.url.place) leads in a circle, or further than \(Self.hopsMax) steps")
            }
            let reply = try await http.send(dressed(next))
            if let redirection = redirection(reply, of: next) {
                next = redirection
                continue
            }
            guard let page = SignInPage(reply, from: next.url, isProvider: boundary.contains) else {
                return Self.unreadable("\(next.url.place) answers with status \(reply.status) and no page", reply)
            }
            switch page.meaning {
            case .refresh(let url): next = HTTPRequest(url)
            case .selfPosting(let form):
                next = withReferrer(form.request(form.fixedFields), page.url)
                guard posted.insert([Data(next.url.absoluteString.utf8), next.body ?? Data()]).inserted else {
                    return .unreadable("\(page.url.place) sends the same form again and again")
                }
            case .question(let form):
                if !hasTriedDevice {
                    hasTriedDevice = true
                    if await signInSilently(page.url) {
                        next = start
                        posted = []
                        continue
                    }
                }
                guard isInteractive else {
                    throw AuthorizationFailure(
                        .notInteractive, "\(page.url.place) asks “\(page.heading)”, and nobody may be asked.")
                }
                questions += 1
                guard questions <= Self.questionsMax else {
                    return .unreadable("\(page.url.place) asks more than \(Self.questionsMax) times")
                }
                let isRepeated = answered.map { form.asksTheSame(as: $0) } ?? false
                let problem = page.problem ?? (isRepeated ? "That did not work. Try again." : nil)
                guard let request = try await ask(Question(form, on: page, username: settings.username), problem)
                else { return .canceled }
                next = withReferrer(request, page.url)
                answered = form
                hops = 0
                posted = []
            case .unreadable:
                return Self.unreadable(
                    "\(page.url.place) shows “\(page.heading)” (status \(reply.status)), which is no form", reply)
            }
        }
    }

    private static func unreadable(_ reason: String, _ reply: HTTPReply) -> Ending {
        reply.status == 400 ? .refused(reason) : .unreadable(reason)
    }

    private func ask(_ question: Question, _ problem: String?) async throws -> HTTPRequest? {
        var problem = problem
        for _ in 0..<Self.questionsMax {
            guard let values = try await present(question.presentation(problem: problem)) else { return nil }
            switch question.answer(values) {
            case .send(let request): return request
            case .incomplete(let what): problem = what
            }
        }
        return nil
    }

    // MARK: Hops

    private func isOutside(_ url: URL) -> Bool { isDestination(url) || !boundary.contains(url) }

    private func ending(_ request: HTTPRequest) -> Ending {
        // These schemes would run a script in the page or read a local file. No relying party uses them.
        let refused = ["javascript", "data", "file", "blob", "vbscript", "about", "view-source"]
        let scheme = request.url.scheme?.lowercased() ?? ""
        guard !scheme.isEmpty, !refused.contains(scheme) else {
            return .unreadable("the provider leads to an address that is none of the web")
        }
        guard let body = request.body else { return .left(request.url) }
        guard !request.isTyped else {
            return .unreadable("the provider wants what was typed to be sent on to \(request.url.place)")
        }
        guard request.headers["Content-Type"]?.lowercased().hasPrefix(FormEncoding.contentType) ?? false else {
            return .unreadable("the provider posts something else than a form to \(request.url.place)")
        }
        let fields = FormEncoding.decodeAsBrowsersDo(String(decoding: body, as: UTF8.self))
        return .posts(SelfPostingPage(action: request.url, fields: fields))
    }

    /// The next request, if the reply is a redirect; nil otherwise. RFC 9110 §15.4.
    private func redirection(_ reply: HTTPReply, of request: HTTPRequest) -> HTTPRequest? {
        guard [301, 302, 303, 307, 308].contains(reply.status), let location = reply.headers["Location"],
            let url = URL(string: location, relativeTo: request.url)?.absoluteURL
        else { return nil }
        guard [307, 308].contains(reply.status), request.body != nil else { return HTTPRequest(url) }
        var repeated = request
        repeated.url = url
        return repeated
    }

    /// Adds `Origin` and `Referer` as browsers do, because many providers refuse forms without them.
    private func withReferrer(_ request: HTTPRequest, _ page: URL) -> HTTPRequest {
        guard request.body != nil, let origin = page.origin?.description else { return request }
        var request = request
        request.headers += [
            HeaderField("Origin", origin),
            HeaderField(
                "Referer",
                page.origin == request.url.origin
                    ? String(page.absoluteString.prefix { $0 != "#" }) : origin + "/"),
        ]
        return request
    }

    private func dressed(_ request: HTTPRequest) -> HTTPRequest {
        var request = request
        request.hasCookies = true
        request.certificateAuthorities = settings.certificateAuthorities
        request.headers.append(HeaderField("Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5"))
        for name in ["User-Agent", "Accept-Language"] {
            if let value = headers[name] { request.headers.append(HeaderField(name, value)) }
        }
        if headers["User-Agent"] == nil {
            request.headers.append(HeaderField("User-Agent", "Mozilla/5.0 (X11; Linux) Lanyard"))
        }
        return request
    }
}
