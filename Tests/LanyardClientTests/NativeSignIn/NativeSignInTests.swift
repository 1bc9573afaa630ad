import Foundation
import LanyardAPI
import LanyardClient
import Testing

@MainActor @Suite(.timeLimit(.minutes(1))) struct NativeSignInTests {
    private func controller(
        _ script: Script,
        _ browser: FakeBrowser,
        _ configure: (inout LanyardIDRequest) -> Void = { _ in }
    ) -> LanyardAuthorizationController {
        var request = script.provider().createRequest()
        request.requestedScopes = [.fullName, .email]
        request.state = "the app's own"
        request.nonce = "n1"
        configure(&request)
        let controller = LanyardAuthorizationController(authorizationRequests: [request])
        controller.presentationContextProvider = browser
        return controller
    }

    private nonisolated static func front(_ more: String, code: String = "c1") async throws -> String {
        try await TestKeys.sign(
            SignInClientTests.claims(more: #","nonce":"n1","c_hash":"\#(TestKeys.hash(code))"\#(more)"#))
    }

    private func expect(
        _ code: LanyardAuthorizationError.Code,
        _ controller: LanyardAuthorizationController,
        _ options: LanyardAuthorizationController.RequestOptions = []
    ) async {
        do {
            let _: LanyardAuthorization = try await controller.performRequests(options: options)
            Issue.record("somebody has signed in")
        } catch {
            #expect((error as? LanyardAuthorizationError)?.code == code, "\(error)")
        }
    }

    @Test("a person signs in with the browser, and the credential carries everything")
    func everything() async throws {
        let script = Script([.ok(try TestKeys.keySet(keyID: "k1"))])
        let token = try await Self.front(#","email":"m@x.example","real_user_status":2"#)
        let browser = FakeBrowser { _ in
            [
                "code": "c1", "id_token": token,
                "user": #"{"name":{"firstName":"Maria","lastName":"Ruiz"},"email":"m@x.example"}"#,
            ]
        }
        let authorization: LanyardAuthorization = try await controller(script, browser).performRequests()
        let credential = authorization.credential
        #expect(credential.user == "s")
        #expect(credential.fullName?.givenName == "Maria")
        #expect(credential.fullName?.familyName == "Ruiz")
        #expect(credential.email == "m@x.example")
        #expect(credential.identityToken == Data(token.utf8))
        #expect(credential.authorizationCode == Data("c1".utf8))
        #expect(credential.realUserStatus == .likelyReal)
        #expect(credential.state == "the app's own")
        #expect(credential.authorizedScopes == [.fullName, .email])
        #expect(credential.account == .personal)
        #expect(credential.tokens == nil)
        #expect(!"\(credential)".contains("c1"))

        #expect(browser.url.hasPrefix("https://lanyard.example/auth/authorize?"))
        var parameters = browser.parameters
        let redirectURI = parameters.removeValue(forKey: "redirect_uri") ?? ""
        #expect(redirectURI.wholeMatch(of: #/http://127\.0\.0\.1:[0-9]+//#) != nil)
        let state = parameters.removeValue(forKey: "state") ?? ""
        #expect(state.wholeMatch(of: #/[A-Za-z0-9_-]{43}/#) != nil)
        #expect(
            parameters == [
                "client_id": "org.hillfield.planner", "response_type": "code id_token", "response_mode": "form_post",
                "scope": "name email", "nonce": "n1",
            ])
        #expect(script.requests.map(\.url) == ["https://lanyard.example/auth/keys"])
    }

    @Test("a pupil without an address shares a name only; another time there is no name")
    func pupil() async throws {
        let script = Script([.ok(try TestKeys.keySet(keyID: "k1"))])
        let token = try await Self.front(#","org_id":"o","email_verified":"false""#)
        let browser = FakeBrowser { _ in ["code": "c1", "id_token": token] }
        let authorization: LanyardAuthorization = try await controller(script, browser) { $0.user = "s" }
            .performRequests()
        #expect(authorization.credential.account == .managed(organizationID: "o"))
        #expect(authorization.credential.email == nil)
        #expect(authorization.credential.fullName == nil)
        #expect(authorization.credential.realUserStatus == .unsupported)
        #expect(authorization.credential.authorizedScopes == [.fullName])
        #expect(browser.parameters["login_hint"] == nil)
    }

    @Test("who presses Cancel has cancelled, and so has who does nothing")
    func canceled() async throws {
        await expect(
            .canceled, controller(Script(), FakeBrowser { _ in ["error": "user_cancelled_authorize"] }))
        let request = Script().provider(timeLimit: .seconds(30)).createRequest()
        let waiting = LanyardAuthorizationController(authorizationRequests: [request])
        waiting.presentationContextProvider = IdlePresentation()
        await expect(.canceled, waiting)
    }

    @Test("an error that is none of the person's wishes is a failure")
    func failed() async throws {
        await expect(.failed, controller(Script(), FakeBrowser { _ in ["error": "server_error"] }))
        let token = try await Self.front("")
        await expect(
            .failed, controller(Script([.failure]), FakeBrowser { _ in ["code": "c1", "id_token": token] }))
    }

    @Test("a token that is not for this request, this code or this app is no response")
    func invalidResponse() async throws {
        let hash = TestKeys.hash("c1")
        let tokens: [String?] = [
            nil,
            try await Self.front("", code: "c2"),
            try await TestKeys.sign(SignInClientTests.claims()),
            try await TestKeys.sign(SignInClientTests.claims(more: #","nonce":"n2","c_hash":"\#(hash)""#)),
            try await TestKeys.sign(
                SignInClientTests.claims(more: #","nonce":"n1","c_hash":"\#(hash)""#), with: TestKeys.foreign),
            try await TestKeys.sign(
                SignInClientTests.claims(more: #","nonce":"n1","c_hash":"\#(hash)""#)
                    .replacing("org.hillfield.planner", with: "org.hillfield.other")),
        ]
        for token in tokens {
            let script = Script([.ok(try TestKeys.keySet(keyID: "k1"))])
            let browser = FakeBrowser { _ in
                var fields = ["code": "c1"]
                fields["id_token"] = token
                return fields
            }
            await expect(.invalidResponse, controller(script, browser))
        }
    }

    @Test("where there is no browser, another device lets this one in")
    func device() async throws {
        let script = Script([
            OpenIDClientTests.metadata(), DeviceAuthorizationTests.device(), .refusal("authorization_pending"),
            try await SignInClientTests.tokens(OpenIDClientTests.claims(#","nonce":"n1","email":"m@x.example""#)),
            .ok(try TestKeys.keySet(keyID: "k1")),
            .ok(#"{"sub":"s","given_name":"Maria","family_name":"Ruiz"}"#),
        ])
        let browser = FakeBrowser(nil)
        let authorization: LanyardAuthorization = try await controller(script, browser).performRequests()
        let credential = authorization.credential
        #expect(browser.shown == ["WDJB-MJHT"])
        #expect(credential.user == "s")
        #expect(credential.fullName?.familyName == "Ruiz")
        #expect(credential.email == "m@x.example")
        #expect(credential.authorizationCode == nil)
        #expect(credential.identityToken != nil)
        #expect(credential.tokens?.refreshToken == "r1")
        #expect(credential.state == "the app's own")
        #expect(script.requests[1].parameters["scope"] == "openid profile email offline_access")
        #expect(script.isFinished)
    }

    @Test("a device that nobody lets in ends with who refused")
    func deviceRefused() async throws {
        let script = Script([
            OpenIDClientTests.metadata(), DeviceAuthorizationTests.device(), .refusal("access_denied"),
        ])
        await expect(.canceled, controller(script, FakeBrowser(nil)))
        let expired = Script([
            OpenIDClientTests.metadata(), DeviceAuthorizationTests.device(), .refusal("expired_token"),
        ])
        await expect(.canceled, controller(expired, FakeBrowser(nil)))
    }

    @Test("requests that are not for a person to answer are not put to one")
    func notAsked() async throws {
        let browser = FakeBrowser { _ in [:] }
        await expect(.notHandled, controller(Script(), browser) { $0.requestedOperation = .operationLogout })
        await expect(.notInteractive, controller(Script(), browser), .preferImmediatelyAvailableCredentials)
        await expect(.notHandled, LanyardAuthorizationController(authorizationRequests: []))
        #expect(browser.url.isEmpty)
    }

    @Test("the delegate is told")
    func delegate() async throws {
        let script = Script([.ok(try TestKeys.keySet(keyID: "k1"))])
        let token = try await Self.front("")
        let browser = FakeBrowser { _ in ["code": "c1", "id_token": token] }
        let delegate = Delegate()
        let controller = controller(script, browser)
        controller.delegate = delegate
        let authorization = try await delegate.outcome { controller.performRequests() }
        #expect(authorization.credential.user == "s")

        let refusing = self.controller(Script(), FakeBrowser { _ in ["error": "access_denied"] })
        refusing.delegate = delegate
        await #expect(throws: LanyardAuthorizationError.self) {
            try await delegate.outcome { refusing.performRequests() }
        }
    }

    @Test("a request that is cancelled is cancelled, and only one runs at a time")
    func cancellation() async throws {
        let controller = controller(Script(), FakeBrowser(nil))
        let presentation = PausedPresentation()
        controller.presentationContextProvider = presentation
        let task = Task { () async throws -> LanyardAuthorization in try await controller.performRequests() }
        await presentation.hasOpened()
        await expect(.failed, controller)
        controller.cancel()
        presentation.goOn()
        await #expect(throws: LanyardAuthorizationError(.canceled, "The request was cancelled.")) {
            try await task.value
        }
    }

    @Test("codes, states and operations have the raw values that apps may have stored")
    func rawValues() {
        #expect(
            (1000...1010).compactMap { LanyardAuthorizationError.Code(rawValue: $0) } == [
                .unknown, .canceled, .invalidResponse, .notHandled, .failed, .notInteractive,
                .matchedExcludedCredential, .credentialImport, .credentialExport, .preferSignInWithApple,
                .deviceNotConfiguredForPasskeyCreation,
            ])
        #expect(
            (0...3).compactMap { LanyardIDProvider.CredentialState(rawValue: $0) } == [
                .revoked, .authorized, .notFound, .transferred,
            ])
        #expect((0...2).compactMap { RealUserStatus(rawValue: $0) } == [.unsupported, .unknown, .likelyReal])
        #expect(LanyardIDRequest.Scope.fullName.rawValue == "full_name")
        #expect(LanyardIDRequest.Scope.email.rawValue == "email")
    }
}

@MainActor private final class Delegate: LanyardAuthorizationControllerDelegate {
    private var continuation: CheckedContinuation<LanyardAuthorization, any Error>?

    func outcome(of start: () -> Void) async throws -> LanyardAuthorization {
        try await withCheckedThrowingContinuation { continuation in
            self.continuation = continuation
            start()
        }
    }

    func authorizationController(
        controller: LanyardAuthorizationController, didCompleteWithAuthorization authorization: LanyardAuthorization
    ) {
        continuation?.resume(returning: authorization)
    }

    func authorizationController(controller: LanyardAuthorizationController, didCompleteWithError error: any Error) {
        continuation?.resume(throwing: error)
    }
}

/// A browser that opens, and a person who does nothing.
private struct IdlePresentation: SignInPresentation {
    func open(_ url: String) async -> Bool { true }
    func show(_ device: DeviceAuthorization) async {}
}

/// A browser that takes its time to open.
private final class PausedPresentation: SignInPresentation {
    private let opened = AsyncStream.makeStream(of: Void.self)
    private let released = AsyncStream.makeStream(of: Void.self)

    func hasOpened() async {
        for await _ in opened.stream { break }
    }

    func goOn() {
        released.continuation.finish()
    }

    func open(_ url: String) async -> Bool {
        opened.continuation.finish()
        for await _ in released.stream {}
        return true
    }

    func show(_ device: DeviceAuthorization) async {}
}
