import ArgumentParser
import Ground
import SingleSignOnClient
import SingleSignOnWire
import WebClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Gets tokens, headers and cookies from extensions, for the commands.
struct SignOn {
    let broker = BrokerClient()
    let options: AskOptions

    /// Sends one request, presented as the options say.
    func outcome(of request: BrokerRequest) async throws -> BrokerOutcome {
        request.presentation == .terminal
            ? try await TerminalPresenter().perform(request, with: broker) : try await broker.perform(request)
    }

    // MARK: Tokens

    struct Tokens: Sendable {
        let credential: ASAuthorizationSingleSignOnCredential

        var accessToken: String? { credential.accessToken.map { String(decoding: $0, as: UTF8.self) } }
        var identityToken: String? { credential.identityToken.map { String(decoding: $0, as: UTF8.self) } }

        /// nil if the extension does not tell.
        var expiresAt: Date? {
            struct Answer: Decodable { let expires_in: Double }
            return credential.responseBody.flatMap { try? JSONDecoder().decode(Answer.self, from: $0) }
                .map { Surroundings.system.now().addingTimeInterval($0.expires_in) }
        }
    }

    /// The tokens that the extension has saved or can refresh silently; otherwise it may ask the person.
    /// docs/specifications/extensible-single-sign-on.md, 17.1.
    /// - Throws: ``SingleSignOnFailure``, `BrokerProblem`.
    func tokens(_ url: String) async throws -> Tokens {
        var silent = options.request(url, operation: "refresh")
        silent.presentation = BrokerRequest.Presentation.none
        var outcome = try await broker.perform(silent)
        if !outcome.isSuccess, outcome.reason != .notCovered, outcome.reason != .callerDenied,
            outcome.outcome != .canceled,
            !options.isSilent
        {
            outcome = try await self.outcome(of: options.request(url, operation: "login"))
        }
        guard let credential = ASAuthorizationSingleSignOnCredential(success: outcome) else {
            throw SingleSignOnFailure(outcome)
        }
        return Tokens(credential: credential)
    }

    // MARK: Challenges

    /// The headers with which a credential extension answers a URL's challenge.
    /// - Parameter challenges: values of `WWW-Authenticate` that were received before. If empty, the URL is requested
    ///   to get them.
    /// - Returns: nil if no credential extension handles the host; empty if the server needs no headers.
    func challengeHeaders(_ url: String, challenges: [String] = []) async throws -> [HeaderField]? {
        guard try await broker.match(url: url, responseCode: 401).isCovered else { return nil }
        var request = options.request(url)
        request.responseCode = 401
        if challenges.isEmpty {
            guard let response = try await challenge(of: url) else { return [] }
            request.headers = response.headerFields
            request.serverCertificate = response.serverCertificate
        } else {
            request.headers = challenges.map { HeaderField("WWW-Authenticate", $0) }
        }
        let outcome = try await self.outcome(of: request)
        guard outcome.outcome == .headers else { throw SingleSignOnFailure(outcome) }
        return outcome.authorizationHeaders ?? []
    }

    /// The server's 401 response; nil if it responds otherwise.
    private func challenge(of url: String) async throws -> PageTransport.Response? {
        let response = try await reaching(url) {
            let call = SingleSignOnCall(broker: broker, presentation: options.anchor, timeLimit: .seconds(30))
            return try await PageTransport().send(PageTransport.Request(url), in: call)
        }
        return response.statusCode == 401 ? response : nil
    }

    // MARK: Sessions

    /// The cookies that a browser would send to a page after signing in wherever the page redirects to.
    func session(_ url: String) async throws -> CookieJar {
        // Fails early, before anything is loaded, if there is no broker.
        _ = try await broker.match(url: url)
        let cookies = CookieJar()
        let call = SingleSignOnCall(broker: broker, presentation: options.anchor, timeLimit: .seconds(60))
        let response = try await reaching(url) {
            var flow = SingleSignOnFlow(transport: PageTransport(), call: call, cookies: cookies, redirectsMax: 10)
            return try await flow.run(PageTransport.Request(url))
        }
        guard response.statusCode != 401 else {
            throw SingleSignOnFailure(.notCovered, "\(url) answers 401, and single sign-on has no answer to that.")
        }
        return cookies
    }

    private func reaching<Value>(_ url: String, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as ASAuthorizationError where error.code == .canceled {
            throw SingleSignOnFailure(.canceled, error.description)
        } catch {
            let reason = (error as? HTTPFailure)?.reason ?? "\(error)"
            throw SingleSignOnFailure(.failure, "\(url) cannot be reached: \(reason)")
        }
    }
}
