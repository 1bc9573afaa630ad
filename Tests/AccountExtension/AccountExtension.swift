import Foundation
import SingleSignOnExtension
import SingleSignOnWire

/// An extension as a small identity provider would have it: it asks once for a password, keeps a session, and then answers
/// apps, pages and challenges without asking.
@main
struct AccountExtension: AuthorizationExtension {
    func beginAuthorization(with request: ASAuthorizationProviderExtensionAuthorizationRequest) {
        Task {
            do {
                if request.isChallenge && request.requestedOperation == .none {
                    try answerChallenge(request)
                } else if request.requestedOperation == .none {
                    try await answerPage(request)
                } else {
                    try await perform(request)
                }
            } catch {
                request.complete(error: error)
            }
        }
    }

    // MARK: Operations of apps

    private func perform(_ request: ASAuthorizationProviderExtensionAuthorizationRequest) async throws {
        let name = request.authorizationOptions["as"]?.text
        switch request.requestedOperation {
        case .refresh:
            guard let user = savedUser else {
                throw AuthorizationFailure(.notInteractive, "Nobody has signed in yet.")
            }
            answer(request, tokensOf: user)
        case .login:
            guard let user = try await signedInUser(request) else { return request.cancel() }
            answer(request, tokensOf: user)
        case .logout:
            ExtensionFolder.shared.remove("user")
            request.complete()
        case .init("fail"):
            throw AuthorizationFailure(
                domain: "AcmeErrorDomain", code: -6000, message: "The account is closed.",
                userInfo: ["account": name ?? "mika"], underlying: AuthorizationFailure(.failed, "HTTP 403"))
        case .init("tokensInHeaders"):
            let headers = [HeaderField("access_token", "from-header"), .init("X-Full-Name", "Mika Example")]
            request.complete(httpResponse: ASHTTPResponse(url: request.url, statusCode: 200, headerFields: headers))
        case .init("page"):
            let page = "<p>access_token=not-a-token</p>"
            let headers = [HeaderField("Content-Type", "text/html")]
            request.complete(
                httpResponse: ASHTTPResponse(url: request.url, statusCode: 200, headerFields: headers),
                httpBody: Data(page.utf8))
        case .init("malicious"):
            var form = Self.form(request)
            form.title = "Sign in\u{1b}[2J\u{9b}31m\u{202e}elpmaxe\r\nroot@host:~# "
            form.fields[0].label = "User\u{7}\u{1b}]0;owned\u{7}"
            form.problem = "wrong\u{1b}[8m\nPassword for root:"
            guard let values = try await request.present(form) else { return request.cancel() }
            answer(request, tokensOf: values["user"] ?? "")
        case .init("wait"): break
        default: request.doNotHandle()
        }
    }

    private func answer(_ request: ASAuthorizationProviderExtensionAuthorizationRequest, tokensOf user: String) {
        // Only what it knows: others are not granted.
        let scopes = (request.authorizationOptions["scope"]?.text ?? "").split(separator: " ")
            .filter { ["openid", "email"].contains($0) }
        var tokens: [String: String] = [
            "access_token": "access-of-\(user)", "id_token": "e30.e30.\(user)", "scope": scopes.joined(separator: " "),
        ]
        tokens["state"] = request.authorizationOptions["state"]?.text
        var body = (try? JSONEncoder().encode(tokens)) ?? Data()
        // A number too, as token endpoints have.
        body = Data(#"{"expires_in":3600,"#.utf8) + body.dropFirst()
        request.complete(
            httpResponse: ASHTTPResponse(
                url: request.url, statusCode: 200,
                headerFields: [.init("Content-Type", "application/json"), .init("Set-Cookie", "native=1; Path=/")]),
            httpBody: body)
    }

    // MARK: Pages

    private func answerPage(_ request: ASAuthorizationProviderExtensionAuthorizationRequest) async throws {
        let query = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
        guard let target = value("to") else { return request.doNotHandle() }
        guard let user = try await signedInUser(request) else { return request.cancel() }
        switch request.url.lastPathComponent {
        case "authorize":
            request.complete(
                httpResponse: ASHTTPResponse(
                    url: request.url, statusCode: 302,
                    headerFields: [
                        .init("Location", "\(target)?code=code-of-\(user)"),
                        .init("Set-Cookie", "idp=session-of-\(user); Path=/; HttpOnly"),
                    ]))
        case "saml":
            let page = """
                <!doctype html><title>Signing in</title><!-- <form action="https://evil.test/"> -->
                <body onload="document.forms[0].submit()"><form METHOD=post action='\(target)'>
                <input type="hidden" name="SAMLResponse" value="response-of-\(user)&amp;&lt;x&gt;&#228;"/>
                <input type=hidden name=RelayState value="a b"><noscript><input type="submit"></noscript></form></body>
                """
            request.complete(
                httpResponse: ASHTTPResponse(
                    url: request.url, statusCode: 200, headerFields: [.init("Content-Type", "text/html")]),
                httpBody: Data(page.utf8))
        default: request.doNotHandle()
        }
    }

    // MARK: Challenges

    private func answerChallenge(_ request: ASAuthorizationProviderExtensionAuthorizationRequest) throws {
        let challenges = (request.authorizationOptions["challenges"]?.elements ?? []).compactMap(\.text)
        if challenges.contains(where: { $0.hasPrefix("Basic") }) {
            let pair = Data("mika:ticket".utf8).base64EncodedString()
            let isProxy = request.authorizationOptions["isProxy"]?.flag == true
            request.complete(
                httpAuthorizationHeaders: [isProxy ? "Proxy-Authorization" : "Authorization": "Basic \(pair)"])
        } else if let challenge = challenges.first(where: { $0.hasPrefix("Legs") }) {
            let leg = challenge == "Legs" ? "first" : "second"
            request.complete(httpAuthorizationHeaders: ["Authorization": "Legs \(leg)"])
        } else if challenges.contains(where: { $0.hasPrefix("Bearer") }) {
            request.complete(httpAuthorizationHeaders: ["Authorization": "Bearer ticket"])
        } else {
            request.doNotHandle()
        }
    }

    // MARK: The person

    private var savedUser: String? {
        ExtensionFolder.shared.read("user").map { String(decoding: $0, as: UTF8.self) }
    }

    private func signedInUser(
        _ request: ASAuthorizationProviderExtensionAuthorizationRequest
    ) async throws -> String? {
        if let savedUser { return savedUser }
        var form = Self.form(request)
        while let values = try await request.present(form) {
            if values["password"] == "secret", let user = values["user"], !user.isEmpty {
                if values["remember"] != nil { try ExtensionFolder.shared.write(Data(user.utf8), to: "user") }
                return user
            }
            form.problem = "That password is wrong."
        }
        return nil
    }

    private static func form(_ request: ASAuthorizationProviderExtensionAuthorizationRequest) -> PresentationForm {
        PresentationForm(
            title: "Sign in to Acme", text: "\(request.localizedCallerDisplayName) wants to know who you are.",
            fields: [
                .init("user", label: "User name", value: request.extensionData["username"]?.text),
                .init("password", label: "Password", kind: .password),
                .init("remember", label: "Keep me signed in", kind: .checkbox, value: "true"),
            ])
    }
}
