import Ground
import SingleSignOn
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Checks whether an extension's answer fits the request, and makes the caller's outcome of it.
///
/// docs/specifications/extensible-single-sign-on.md, 11 and 16.3.
enum AnswerCheck {
    static let bodyBytesMax = 128 << 10
    /// A ticket of Active Directory has up to 64 KiB, which Base64 makes longer by a third.
    private static let fieldBytesMax = 128 << 10

    static func outcome(of answer: ExtensionAnswer, to request: ExtensionRequest) -> (BrokerOutcome, detail: String?) {
        let isOperation = !request.operation.isEmpty
        switch answer {
        case .doNotHandle:
            return (
                BrokerOutcome(
                    .notHandled, reason: .extensionDeclined,
                    error: isOperation
                        ? AuthorizationFailure(.notHandled, "The extension leaves this request alone.") : nil), nil
            )
        case .canceled:
            return (
                BrokerOutcome(
                    .canceled, reason: .canceledByExtension,
                    error: AuthorizationFailure(.canceled, "The request was cancelled.")), nil
            )
        case .failed(let failure):
            return (
                BrokerOutcome(
                    .failed,
                    reason: failure.isNotInteractive ? .notInteractive : .extensionFailed, error: failure),
                failure.description
            )
        case .empty where isOperation:
            return (BrokerOutcome(.empty, reason: .answered), nil)
        case .headers(let headers) where request.isCredential:
            if let problem = problem(of: headers) { return unusable(problem) }
            return (BrokerOutcome(.headers, reason: .answered, authorizationHeaders: headers), nil)
        case .response(let response) where isOperation || !request.isCredential:
            if let problem = problem(of: response, to: request) { return unusable(problem) }
            return (BrokerOutcome(.response, reason: .answered, response: response), nil)
        case .empty, .headers, .response:
            let what = request.isCredential ? "a challenge" : isOperation ? "an operation" : "a request of the web"
            let detail = "\(answer.method) does not answer \(what)"
            return (
                BrokerOutcome(
                    .failed, reason: .wrongCompletion,
                    error: AuthorizationFailure(.canceled, "The extension's answer does not fit the request.")),
                detail
            )
        }
    }

    private static func unusable(_ problem: String) -> (BrokerOutcome, detail: String?) {
        (
            BrokerOutcome(
                .failed, reason: .unusableResponse,
                error: AuthorizationFailure(.invalidResponse, "The extension's answer cannot be used: \(problem).")),
            problem
        )
    }

    private static func problem(of response: WebResponse, to request: ExtensionRequest) -> String? {
        guard WebOrigin(of: response.url) == WebOrigin(of: request.url) else {
            return "it is for another origin than the request"
        }
        let isOperation = !request.operation.isEmpty
        guard isOperation ? (200...599).contains(response.status) : [200, 302].contains(response.status) else {
            return "its status is \(response.status), not 200 or 302"
        }
        if response.status == 302, !isOperation {
            guard let location = response.headers["Location"], !location.isEmpty else {
                return "it is a redirection without a Location"
            }
            guard let target = URL(string: location, relativeTo: URL(string: response.url)),
                ["http", "https"].contains(target.scheme?.lowercased()) || target.scheme?.contains(".") == true
            else { return "its Location leads to no page and no app" }
        }
        let size = response.body?.count ?? 0
        guard size <= bodyBytesMax else { return "its body has \(size) bytes; at most \(bodyBytesMax) are passed on" }
        return problem(of: response.headers)
    }

    private static func problem(of headers: [HeaderField]) -> String? {
        guard headers.count <= 100 else { return "it has \(headers.count) headers" }
        for header in headers {
            let isName =
                !header.name.isEmpty
                && header.name.utf8.allSatisfy {
                    $0 > 0x20 && $0 < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0)
                }
            guard isName else { return "“\(header.name.inShortLine)” is no name of a header" }
            guard header.value.unicodeScalars.allSatisfy({ !$0.isASCIIControl || $0 == "\t" }) else {
                return "the header \(header.name) holds a line break or another control character"
            }
            guard header.value.utf8.count <= fieldBytesMax else { return "the header \(header.name) is too long" }
        }
        return nil
    }
}

extension AuthorizationFailure {
    var isNotInteractive: Bool {
        domain == Self.authorizationDomain && code == Code.notInteractive.rawValue
    }
}

extension ExtensionAnswer {
    /// The method that the extension's author has called.
    fileprivate var method: String {
        switch self {
        case .doNotHandle: "doNotHandle()"
        case .canceled: "cancel()"
        case .empty: "complete()"
        case .headers: "complete(httpAuthorizationHeaders:)"
        case .response: "complete(httpResponse:httpBody:)"
        case .failed: "complete(error:)"
        }
    }
}
