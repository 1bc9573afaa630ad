import Foundation
import HTTPTypes
import Hummingbird
import LanyardAPI
import LanyardClient
import Logging
import NIOCore

/// A site with one page and two pictures, for people of the organization only.
struct Site: Sendable {
    let client: OpenIDClient
    /// Without a trailing slash.
    let publicURL: String
    let sessions: Sessions
    let bearers: BearerTokens

    static let returnPath = "/signed-in"

    func router() -> Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        router.get("healthz") { _, _ in "ok" }
        router.get("/", use: home)
        router.get(RouterPath(Self.returnPath), use: finish)
        router.post("sign-out", use: signOut)
        router.get("welcome") { _, _ in page(.welcome) }
        router.get("signed-out") { request, _ in
            // Visitors who return to this URL later may have signed in again.
            person(in: request) == nil ? page(.signedOut) : redirect(to: "/")
        }
        for picture in Picture.allCases {
            router.get(RouterPath(picture.rawValue)) { request, _ in try await show(picture, request) }
        }
        return router
    }

    // MARK: The page

    /// Loading this page begins a sign-in.
    @Sendable private func home(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        if let person = person(in: request) { return page(.home(name: person.name)) }
        let attempt = AuthorizationAttempt.random()
        let location: String
        do {
            location = try await client.authorizationURL(
                redirectURI: publicURL + Self.returnPath, scopes: [.profile], attempt: attempt)
        } catch let error as LanyardClientError {
            context.logger.error("the provider cannot be asked", metadata: ["error": "\(error)"])
            return page(.failed, status: .badGateway)
        }
        var response = redirect(to: location)
        response.setCookie(cookie("burgers-trip", sessions.set(out: attempt), maxAge: 600))
        return response
    }

    @Sendable private func finish(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        guard let key = request.cookies["burgers-trip"]?.value, let attempt = sessions.take(key) else {
            return page(.failed, status: .badRequest)
        }
        let redirectURI = publicURL + Self.returnPath
        do {
            let answer = try AuthorizationAnswer(request.uri.query ?? "", state: attempt.state)
            let result = try await client.finish(answer, attempt: attempt, redirectURI: redirectURI)
            let info = try await client.userInfo(result.tokens.accessToken, subject: result.identity.subject)
            let person = Sessions.Person(name: info.name ?? "somebody without a name", signedInAt: Date())
            var response = redirect(to: "/")
            response.setCookie(cookie("burgers", sessions.begin(person), maxAge: Int(Sessions.lifetime)))
            response.setCookie(cookie("burgers-trip", "", maxAge: 0))
            return response
        } catch let error as LanyardClientError {
            if error.isCancelledByPerson { return page(.canceled) }
            context.logger.warning("nobody is signed in", metadata: ["error": "\(error)"])
            return page(.failed, status: .badRequest)
        }
    }

    /// Needs no token against cross-site requests, because the cookie is not sent with forms of other sites.
    @Sendable private func signOut(_ request: Request, _ context: BasicRequestContext) -> Response {
        if let key = request.cookies["burgers"]?.value { sessions.end(key) }
        var response = redirect(to: "/signed-out")
        response.setCookie(cookie("burgers", "", maxAge: 0))
        return response
    }

    // MARK: The pictures

    /// Answers a browser with a session, and the native program with its tokens.
    private func show(_ picture: Picture, _ request: Request) async throws -> Response {
        guard try await mayLook(request) else {
            // `lanyard-sso curl --token` sends only the access token. That is not enough, because any other app of the
            // provider could send one too.
            let isIncomplete = request.headers[.authorization] != nil && request.headers[Self.identityToken] == nil
            let hint =
                isIncomplete
                ? "An access token alone says not for whom it was made. Send the identity token too, as X-Identity-Token.\n"
                : "This is for people who have signed in.\n"
            return Response(
                status: .unauthorized,
                headers: [
                    .wwwAuthenticate: #"Bearer realm="burgers-and-tacos""#, .contentType: "text/plain",
                    .cacheControl: "no-store",
                ], body: ResponseBody(byteBuffer: ByteBuffer(string: hint)))
        }
        let wantsLetters = request.headers[.accept]?.hasPrefix("text/plain") == true
        return Response(
            status: .ok,
            headers: [
                .contentType: wantsLetters ? "text/plain; charset=utf-8" : "image/svg+xml", .cacheControl: "no-store",
                .contentSecurityPolicy: "default-src 'none'", .xContentTypeOptions: "nosniff",
            ], body: ResponseBody(byteBuffer: ByteBuffer(string: wantsLetters ? picture.letters : picture.svg)))
    }

    private static let identityToken = HTTPField.Name("X-Identity-Token")!

    private func mayLook(_ request: Request) async throws -> Bool {
        if person(in: request) != nil { return true }
        guard let header = request.headers[.authorization], header.lowercased().hasPrefix("bearer "),
            let identityToken = request.headers[Self.identityToken]
        else { return false }
        do {
            return try await bearers.opens(String(header.dropFirst("bearer ".count)), identityToken: identityToken)
        } catch let error as LanyardClientError {
            throw HTTPError(.badGateway, message: "The identity provider cannot be asked: \(error)")
        }
    }

    // MARK: Small things

    private func person(in request: Request) -> Sessions.Person? {
        request.cookies["burgers"].flatMap { sessions.find($0.value) }
    }

    private func cookie(_ name: String, _ value: String, maxAge: Int) -> Cookie {
        Cookie(
            name: name, value: value, maxAge: maxAge, path: "/", secure: publicURL.hasPrefix("https:"), httpOnly: true,
            sameSite: .lax)
    }

    private func redirect(to location: String) -> Response {
        Response(status: .seeOther, headers: [.location: location, .cacheControl: "no-store"])
    }

    private func page(_ page: Page, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
                .contentSecurityPolicy:
                    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; form-action 'self'; "
                    + "base-uri 'none'; frame-ancestors 'none'",
            ], body: ResponseBody(byteBuffer: ByteBuffer(string: page.html)))
    }
}
