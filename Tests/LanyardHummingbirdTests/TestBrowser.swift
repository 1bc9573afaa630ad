import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LanyardHummingbird
import Logging
import NIOCore
import Synchronization
import Testing

/// A browser with its cookies, and the rules by which it sends them.
final class TestBrowser: Sendable {
    struct StoredCookie: Sendable {
        let value: String
        let sameSite: String
        let isSecure: Bool
        let isHTTPOnly: Bool
    }

    struct Answer: Sendable {
        let status: HTTPResponse.Status
        let headers: HTTPFields
        let body: String
        var location: String { headers[.location] ?? "" }
    }

    private let client: any TestClientProtocol
    private let jar = Mutex<[String: StoredCookie]>([:])

    init(_ client: any TestClientProtocol) {
        self.client = client
    }

    var cookies: [String: StoredCookie] { jar.withLock { $0 } }
    var sessionCookie: String? { cookies.first { $0.key.hasSuffix("sign-in-session") }?.value.value }

    func copyCookies(from other: TestBrowser) {
        let cookies = other.cookies
        jar.withLock { $0 = cookies }
    }

    func forgetCookies() {
        jar.withLock { $0 = [:] }
    }

    func setCookie(_ name: String, _ value: String) {
        jar.withLock { $0[name] = StoredCookie(value: value, sameSite: "Lax", isSecure: false, isHTTPOnly: true) }
    }

    func get(_ path: String, headers: HTTPFields = [.accept: "text/html"]) async throws -> Answer {
        try await send(path, .get, headers: headers)
    }

    /// What a page has to say.
    func expect(_ path: String, _ body: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let answer = try await get(path)
        #expect(answer.body == body, sourceLocation: sourceLocation)
    }

    /// - Parameter isCrossSite: Whether the page with the form is another site's: then `Lax` cookies stay at home.
    func post(
        _ path: String, _ form: String, isCrossSite: Bool = false, headers: HTTPFields = [:]
    ) async throws -> Answer {
        var headers = headers
        headers[.contentType] = "application/x-www-form-urlencoded"
        return try await send(path, .post, headers: headers, body: form, isCrossSite: isCrossSite)
    }

    private func send(
        _ path: String, _ method: HTTPRequest.Method, headers: HTTPFields, body: String = "", isCrossSite: Bool = false
    ) async throws -> Answer {
        var headers = headers
        let sent = cookies.filter { !isCrossSite || $0.value.sameSite == "None" }
        if !sent.isEmpty {
            headers[.cookie] = sent.map { "\($0.key)=\($0.value.value)" }.joined(separator: "; ")
        }
        return try await client.execute(uri: path, method: method, headers: headers, body: ByteBuffer(string: body)) {
            response in
            for line in response.headers[values: .setCookie] {
                self.keep(line)
            }
            return Answer(status: response.status, headers: response.headers, body: String(buffer: response.body))
        }
    }

    private func keep(_ line: String) {
        let parts = line.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        jar.withLock { jar in
            if parts.contains("Max-Age=0") {
                jar[pair[0]] = nil
            } else {
                let sameSite = parts.first { $0.hasPrefix("SameSite=") }.map { String($0.dropFirst(9)) } ?? "Lax"
                jar[pair[0]] = StoredCookie(
                    value: pair[1], sameSite: sameSite, isSecure: parts.contains("Secure"),
                    isHTTPOnly: parts.contains("HttpOnly"))
            }
        }
    }

    /// Signs in, however the browser gets there.
    @discardableResult
    func signIn(_ service: FakeLanyard, as person: FakeLanyard.Person, returnTo: String = "/") async throws -> Answer {
        let begin = try await get("/sign-in?return_to=\(returnTo)")
        let form = service.answer(to: begin.location, as: person)
        var answer = try await post("/sign-in/callback", form, isCrossSite: true)
        if answer.status == .ok { answer = try await post("/sign-in/callback", Self.fields(of: answer.body)) }
        return answer
    }

    /// What the form on a page posts.
    static func fields(of page: String) -> String {
        page.matches(of: #/name="([a-z_]+)" value="([^"]*)"/#).map { field in
            let value = String(field.2).replacing("&quot;", with: "\"").replacing("&lt;", with: "<")
                .replacing("&gt;", with: ">").replacing("&#39;", with: "'").replacing("&amp;", with: "&")
            return "\(field.1)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!)"
        }.joined(separator: "&")
    }
}

/// An app that says who is signed in, with a page for everybody and one for those who are.
func withApp(
    publicURL: String = "https://quizzler.example",
    service: FakeLanyard,
    configure: @escaping (inout SignIn.Configuration) -> Void = { _ in },
    _ test: @Sendable (TestBrowser, any TestClientProtocol) async throws -> Void
) async throws {
    let router = Router(context: BasicSignInContext.self)
    let signIn = try SignIn(
        client: try service.client(), publicURL: publicURL, secret: Data(repeating: 7, count: 32),
        configure: configure)
    signIn.mount(on: router)
    router.get("/") { _, context in context.person?.id ?? "nobody" }
    router.group().add(middleware: signIn.required()).get("me") { _, context in
        let person = try context.requirePerson()
        let parts = [person.id, person.name, person.email, person.organizationID].map { $0 ?? "-" }
        return parts.joined(separator: " | ")
    }
    router.group().add(middleware: signIn.required()).post("me") { _, _ in "posted" }
    let application = Application(router: router, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    try await application.test(.router) { client in
        try await test(TestBrowser(client), client)
    }
}
