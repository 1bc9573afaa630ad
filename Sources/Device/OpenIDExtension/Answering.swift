import ExtensionVault
import Ground
import SingleSignOnExtension
import SingleSignOnWire
import WebClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Answers one request of the broker.
struct Answering: Sendable {
    let request: ASAuthorizationProviderExtensionAuthorizationRequest
    let desk: Desk

    /// Answers exactly once, unless the request was canceled.
    func run() async {
        do {
            // A challenge wants headers for one request, which this extension does not make.
            guard !request.isChallenge, request.url.isSafe else { return request.doNotHandle() }
            let settings = try Settings(request.extensionData)
            switch request.requestedOperation {
            case .none: try await answerWeb(settings)
            case .login: try await answerLogin(settings)
            case .refresh: try await answerRefresh(settings)
            case .logout: try await answerLogout(settings)
            case .configurationRemoved:
                try desk.forget(settings, starts: [request.url, issuer(settings)] + registration(settings))
                request.complete()
            case .dpopProof: try answerProof(settings)
            default: request.doNotHandle()
            }
        } catch is CancellationError {
            request.cancel()
        } catch let failure as AuthorizationFailure {
            request.complete(error: failure)
        } catch {
            request.complete(error: AuthorizationFailure(.failed, "\(error)"))
        }
    }

    // MARK: Web requests

    /// Answers a browser's navigation: docs/specifications/extensible-single-sign-on.md, 16.
    private func answerWeb(_ settings: Settings) async throws {
        let start: HTTPRequest
        switch WebStart(
            request.url, body: request.httpBody, request.httpHeaderFields, request.authorizationOptions, settings)
        {
        case .request(let request): start = request
        case .foreign(let reason):
            writeToLog("left to the browser: \(reason)")
            return request.doNotHandle()
        }
        let ending: WebSession.Ending
        do {
            if let silent = try await silently(start, settings) {
                ending = silent
            } else {
                ending = try await webSession(settings, request.isUserInterfaceEnabled).run(start)
            }
        } catch {
            desk.jar.save()
            throw error
        }
        // Save before answering: the broker may end the extension as soon as it has the answer.
        desk.jar.save()
        switch ending {
        case .left(let url):
            request.complete(
                httpResponse: ASHTTPResponse(
                    url: request.url, statusCode: 302,
                    headerFields: [HeaderField("Location", url.absoluteString), noStore]))
        case .posts(let page):
            guard let body = page.body else {
                throw AuthorizationFailure(.failed, "The form for \(page.action.place) is larger than 128 KiB.")
            }
            request.complete(
                httpResponse: ASHTTPResponse(
                    url: request.url, statusCode: 200,
                    headerFields: [HeaderField("Content-Type", "text/html; charset=utf-8"), noStore]),
                httpBody: body)
        case .unreadable(let reason), .refused(let reason):
            writeToLog("left to the browser: \(reason)")
            request.doNotHandle()
        case .canceled: request.cancel()
        }
    }

    private func webSession(_ settings: Settings, _ isInteractive: Bool) -> WebSession {
        desk.webSession(for: request, settings: settings, starts: [request.url], isInteractive: isInteractive)
    }

    /// Tries to sign in without showing anything.
    /// - Returns: nil if the person has to be asked, or the provider does not support silent requests.
    private func silently(_ start: HTTPRequest, _ settings: Settings) async throws -> WebSession.Ending? {
        guard start.body == nil, let url = SilentRequest.url(of: start.url), desk.mayBeSignedIn(at: url) else {
            return nil
        }
        let session = webSession(settings, false)
        for _ in 0..<2 {
            do {
                let ending = try await desk.silentRequests.pass(url.origin) { try await session.run(HTTPRequest(url)) }
                if !SilentRequest.needsPerson(ending) { return ending }
            } catch let failure as AuthorizationFailure where failure.isNotInteractive {
                return nil
            }
            guard await session.signInSilently(url) else { return nil }
        }
        return nil
    }

    var noStore: HeaderField { HeaderField("Cache-Control", "no-store") }
}

extension ASAuthorizationProviderAuthorizationOperation {
    /// Not one of Apple's operations: makes a DPoP proof for a request that the app sends itself.
    static let dpopProof = Self("dpopProof")
}

extension AuthorizationFailure {
    var isNotInteractive: Bool { domain == Self.authorizationDomain && code == Code.notInteractive.rawValue }
}
