import Foundation
import SingleSignOnWire
import Testing

@testable import SingleSignOnClient

@MainActor
@Suite struct AuthorizationTests {
    private let url = URL(string: "https://id.acme.test/realms/staff")!

    final class Delegate: ASAuthorizationControllerDelegate {
        private(set) var endings: [Result<ASAuthorizationSingleSignOnCredential, ASAuthorizationError>] = []
        private(set) weak var controller: ASAuthorizationController?

        func authorizationController(
            controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
        ) {
            self.controller = controller
            endings.append(.success(authorization.credential as! ASAuthorizationSingleSignOnCredential))
        }

        func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
            self.controller = controller
            endings.append(.failure(error as! ASAuthorizationError))
        }
    }

    /// Calls `performRequests()` as apps do. An `async` function would call the overload that waits instead.
    private func begin(_ controller: ASAuthorizationController, _ delegate: Delegate) {
        controller.delegate = delegate
        controller.performRequests()
    }

    final class Anchor: ASAuthorizationControllerPresentationContextProviding {
        func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor { .none }
    }

    private func request(_ broker: FakeBroker) -> ASAuthorizationSingleSignOnRequest {
        ASAuthorizationSingleSignOnProvider(identityProvider: url, broker: BrokerClient(socketPath: broker.path))
            .createRequest()
    }

    private nonisolated static func answering(_ outcome: BrokerOutcome) throws -> FakeBroker {
        let data = try JSONEncoder().encode(BrokerEvent.finished(outcome))
        return try FakeBroker { _ in FakeBroker.json(String(decoding: data, as: UTF8.self)) }
    }

    private nonisolated static func response(_ body: String?, _ headers: [HeaderField] = []) -> BrokerOutcome {
        BrokerOutcome(
            .response, reason: .answered,
            response: WebResponse(
                url: "https://id.acme.test/realms/staff", status: 200, headers: headers,
                body: body.map { Data($0.utf8) }))
    }

    @Test func `what can be performed is a quick question, and no without a broker`() async throws {
        let broker = try FakeBroker { request in
            let isCovered = request.contains("sso-realm%3AACME.TEST") || request.contains("responseCode=0")
            return FakeBroker.json(
                #"{"isCovered":\#(isCovered),"reason":"answered","explanation":""}"#)
        }
        let client = BrokerClient(socketPath: broker.path)
        #expect(ASAuthorizationSingleSignOnProvider(identityProvider: url, broker: client).canPerformAuthorization)
        let realm = try #require(URL(string: "realm://ACME.TEST"))
        #expect(ASAuthorizationSingleSignOnProvider(identityProvider: realm, broker: client).canPerformAuthorization)
        let other = try #require(URL(string: "sso-realm:OTHER"))
        #expect(!ASAuthorizationSingleSignOnProvider(identityProvider: other, broker: client).canPerformAuthorization)
        let nowhere = BrokerClient(socketPath: "/nowhere/sso.sock")
        #expect(!ASAuthorizationSingleSignOnProvider(identityProvider: url, broker: nowhere).canPerformAuthorization)
        // A broker that does not answer is asked only once: each attempt takes a second.
        let mute = try FakeBroker { _ in ("", .hold) }
        let waiting = BrokerClient(socketPath: mute.path)
        let (url, answer) = (url, AsyncStream.makeStream(of: Bool.self))
        // The call blocks, so it gets a thread of its own.
        Thread.detachNewThread {
            let provider = ASAuthorizationSingleSignOnProvider(identityProvider: url, broker: waiting)
            answer.continuation.yield(provider.canPerformAuthorization)
        }
        for await isCovered in answer.stream.prefix(1) { #expect(!isCovered) }
        #expect(mute.requests.count == 1)
    }

    @Test(arguments: [
        ("sso-realm:ACME.TEST", "sso-realm:ACME.TEST"), ("SSO-REALM://Acme.Test", "sso-realm:Acme.Test"),
        ("realm:ACME%20TEST", "sso-realm:ACME TEST"), ("host://intranet.acme.test", "sso-host:intranet.acme.test"),
        ("https://realm.acme.test/a%20b", "https://realm.acme.test/a%20b"),
    ])
    func `a realm or a host can stand in place of a URL`(written: String, meant: String) throws {
        #expect(SingleSignOnURL.canonical(try #require(URL(string: written))) == meant)
    }

    @Test func `everything that the app says goes to the broker`() async throws {
        let broker = try Self.answering(BrokerOutcome(.empty, reason: .answered))
        let request = request(broker)
        request.requestedOperation = .init("get_accounts")
        request.requestedScopes = [.email, .init("classes")]
        request.state = "s"
        request.nonce = "n"
        request.authorizationOptions = [URLQueryItem(name: "a", value: "1"), URLQueryItem(name: "a", value: nil)]
        request.isUserInterfaceEnabled = false
        _ = try await ASAuthorizationController(authorizationRequests: [request]).performRequests()
        let body = broker.requests[0].components(separatedBy: "\r\n\r\n")[1]
        let sent = try JSONDecoder().decode(BrokerRequest.self, from: Data(body.utf8))
        #expect(sent.url == url.absoluteString)
        #expect(sent.operation == "get_accounts")
        #expect(sent.scopes == ["email", "classes"])
        #expect(sent.state == "s" && sent.nonce == "n")
        #expect(sent.options == [HeaderField("a", "1"), HeaderField("a", "")])
        #expect(sent.presentation == BrokerRequest.Presentation.none)
    }

    @Test func `the context says where the person is asked`() async throws {
        let broker = try Self.answering(BrokerOutcome(.empty, reason: .answered))
        let anchor = Anchor()
        let controller = ASAuthorizationController(authorizationRequests: [request(broker)])
        _ = try await controller.performRequests()
        controller.presentationContextProvider = anchor
        _ = try await controller.performRequests()
        let asked = broker.requests.map { $0.contains(#""presentation":"desktop""#) }
        #expect(asked == [true, false])
        #expect(broker.requests[1].contains(#""presentation":"none""#))
    }

    @Test func `tokens are read from JSON`() async throws {
        let body = #"{"access_token":"a","id_token":"i","state":"s","scope":"openid email","expires_in":60,"x":{}}"#
        let broker = try Self.answering(Self.response(body, [HeaderField("access_token", "from-header")]))
        let request = request(broker)
        let authorization = try await ASAuthorizationController(authorizationRequests: [request]).performRequests()
        let credential = try #require(authorization.credential as? ASAuthorizationSingleSignOnCredential)
        #expect(credential.accessToken == Data("a".utf8))
        #expect(credential.identityToken == Data("i".utf8))
        #expect(credential.state == "s")
        #expect(credential.authorizedScopes == [.init("openid"), .email])
        #expect(credential.responseBody == Data(body.utf8))
        #expect(credential.authenticatedResponse?.statusCode == 200)
    }

    @Test func `tokens and facts are read from headers if there is no JSON, and never from a page`() throws {
        let headers = [
            HeaderField("Access_Token", "h"), HeaderField("X-Full-Name", "Mika"), .init("X-Full-Name", "M."),
        ]
        let credential = try ASAuthorizationSingleSignOnCredential(Self.response(nil, headers))
        #expect(credential.accessToken == Data("h".utf8))
        #expect(credential.authenticatedResponse?.value(forHTTPHeaderField: "x-full-name") == "Mika")
        #expect(credential.authenticatedResponse?.allHeaderFields["X-Full-Name"] == "Mika, M.")
        let html = HeaderField("Content-Type", "text/html; charset=utf-8")
        let page = try ASAuthorizationSingleSignOnCredential(Self.response(#"{"access_token":"x"}"#, [html]))
        #expect(page.accessToken == nil)
        for body in ["access_token=x", "<p>access_token</p>", "[1]", #"{"access_token":1}"#, #"{"access_token":""}"#] {
            #expect(try ASAuthorizationSingleSignOnCredential(Self.response(body)).accessToken == nil)
        }
    }

    @Test func `success itself can be the answer`() throws {
        let credential = try ASAuthorizationSingleSignOnCredential(BrokerOutcome(.empty, reason: .answered))
        #expect(credential.accessToken == nil && credential.authenticatedResponse == nil)
        let headers = try ASAuthorizationSingleSignOnCredential(
            BrokerOutcome(.headers, reason: .answered, authorizationHeaders: [HeaderField("Authorization", "X")]))
        #expect(headers.authorizationHeaders == [HeaderField("Authorization", "X")])
    }

    @Test func `the delegate is told once, and the controller lives until then`() async throws {
        let broker = try Self.answering(Self.response(#"{"access_token":"a"}"#))
        let delegate = Delegate()
        do {
            let controller = ASAuthorizationController(authorizationRequests: [request(broker)])
            begin(controller, delegate)
        }
        // Once the controller is gone it can tell the delegate nothing more.
        #expect(try await eventually { !delegate.endings.isEmpty && delegate.controller == nil })
        #expect(delegate.endings.count == 1)
        #expect(try delegate.endings[0].get().accessToken == Data("a".utf8))
    }

    @Test func `the controller does not hold its delegate`() {
        let controller = ASAuthorizationController(authorizationRequests: [
            ASAuthorizationSingleSignOnProvider(identityProvider: url).createRequest()
        ])
        do {
            let delegate = Delegate()
            controller.delegate = delegate
        }
        #expect(controller.delegate == nil)
    }

    @Test func `canceling ends the request at the broker and tells the delegate`() async throws {
        let broker = try FakeBroker { _ in FakeBroker.lines([], .hold) }
        let delegate = Delegate()
        let controller = ASAuthorizationController(authorizationRequests: [request(broker)])
        begin(controller, delegate)
        #expect(try await eventually { !broker.requests.isEmpty })
        controller.cancel()
        #expect(try await eventually { !delegate.endings.isEmpty })
        #expect(throws: ASAuthorizationError.self) { try delegate.endings[0].get() }
        #expect(try await eventually { broker.callersGone == 1 })
        guard case .failure(let error) = delegate.endings[0] else { return }
        #expect(error.code == .canceled)
    }

    @Test func `what begins while something canceled still ends can be canceled too`() async throws {
        let broker = try FakeBroker { _ in FakeBroker.lines([], .hold) }
        let delegate = Delegate()
        let controller = ASAuthorizationController(authorizationRequests: [request(broker)])
        begin(controller, delegate)
        #expect(try await eventually { broker.requests.count == 1 })
        controller.cancel()
        begin(controller, delegate)
        #expect(try await eventually { delegate.endings.count == 1 && broker.requests.count == 2 })
        controller.cancel()
        #expect(try await eventually { delegate.endings.count == 2 })
        #expect(throws: ASAuthorizationError.self) { try delegate.endings[1].get() }
    }

    @Test func `an extension's own error arrives whole`() async throws {
        let failure = AuthorizationFailure(
            domain: "AcmeErrorDomain", code: -6000, message: "The account is closed.", userInfo: ["account": "mika"],
            underlying: AuthorizationFailure(.failed, "HTTP 403"))
        let error = ASAuthorizationError(BrokerOutcome(.failed, reason: .extensionFailed, error: failure))
        #expect(error.domain == "AcmeErrorDomain" && error.errorCode == -6000 && error.code == .unknown)
        #expect(error.userInfo == ["account": "mika"])
        #expect(error.underlyingError?.code == .failed)
        #expect(error.localizedDescription == "The account is closed.")
    }

    @Test(arguments: [
        (BrokerOutcome(.notHandled, reason: .notCovered), ASAuthorizationError.Code.notHandled),
        (BrokerOutcome(.canceled, reason: .canceledByExtension), .canceled),
        (BrokerOutcome(.failed, reason: .wrongCompletion), .canceled),
        (BrokerOutcome(.failed, reason: .unusableResponse), .invalidResponse),
        (BrokerOutcome(.failed, reason: .notInteractive), .notInteractive),
        (BrokerOutcome(.failed, reason: .timedOut), .failed),
    ])
    func `every ending has its code`(outcome: BrokerOutcome, code: ASAuthorizationError.Code) {
        #expect(ASAuthorizationError(outcome).code == code)
    }

    @Test func `no broker is the same as no single sign-on`() async throws {
        let provider = ASAuthorizationSingleSignOnProvider(
            identityProvider: url, broker: BrokerClient(socketPath: "/nowhere/sso.sock"))
        await #expect {
            _ = try await ASAuthorizationController(authorizationRequests: [provider.createRequest()]).performRequests()
        } throws: { ($0 as? ASAuthorizationError)?.code == .notHandled }
    }
}
