import SingleSignOnWire
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request to an extension. It is answered exactly once; a second answer is not sent, and noted in the log.
///
/// docs/specifications/extensible-single-sign-on.md, 10 and 11.
public final class ASAuthorizationProviderExtensionAuthorizationRequest: Sendable {
    private let request: ExtensionRequest
    private let connection: BrokerConnection
    private enum State { case open, answered, canceled }
    private let state = Mutex(State.open)

    init(_ request: ExtensionRequest, connection: BrokerConnection) {
        self.request = request
        self.connection = connection
        // The broker sends what it has parsed already.
        url = URL(string: request.url) ?? URL(filePath: "/")
    }

    /// The URL of the request, with every component.
    public let url: URL
    /// `login`, `refresh`, `logout`, `implicit`, `configurationRemoved` or one that apps and extension agree on; empty for a
    /// request of the web.
    public var requestedOperation: ASAuthorizationProviderAuthorizationOperation { .init(request.operation) }
    /// Of the request; for a challenge, of the server's answer. Values of one name, in any case, are joined by commas under
    /// the name as it was first written.
    public var httpHeaders: [String: String] {
        var names: [String: String] = [:]
        return request.headers.reduce(into: [:]) { headers, header in
            let name = names[header.name.lowercased(), default: header.name]
            names[header.name.lowercased()] = name
            headers[name] = headers[name].map { "\($0), \(header.value)" } ?? header.value
        }
    }
    /// The same, one by one, as they were received.
    public var httpHeaderFields: [HeaderField] { request.headers }
    /// Empty if there is none.
    public var httpBody: Data { request.body }
    /// Of the payload, or of the request that asks for a realm; empty for a redirect payload.
    public var realm: String { request.realm }
    /// What the payload says for this extension.
    public var extensionData: [String: PropertyListValue] { request.extensionData }
    /// What the caller says for this extension, and for requests of the web how they came about.
    public var authorizationOptions: [String: PropertyListValue] { request.options }
    public var callerBundleIdentifier: String { request.caller.bundleIdentifier }
    public var callerTeamIdentifier: String { request.caller.teamIdentifier }
    public var localizedCallerDisplayName: String { request.caller.displayName }
    public var isCallerManaged: Bool { request.caller.isManaged }
    /// If not, presenting throws ``AuthorizationFailure/Code/notInteractive``.
    public var isUserInterfaceEnabled: Bool { request.isUserInterfaceEnabled }
    /// Whether this is a challenge, to be answered with headers, and no request of the web.
    public var isChallenge: Bool { request.isCredential }

    /// A folder for this caller alone, and for no other app.
    public var callerData: ExtensionFolder { ExtensionFolder.shared.folder(of: request.caller.bundleIdentifier) }

    // MARK: Answers

    /// Leaves the request alone: the page loads from the web, the challenge is met as usual.
    public func doNotHandle() { answer(.doNotHandle) }

    /// Ends the request because the person wants it so.
    public func cancel() { answer(.canceled) }

    /// Success, with nothing to say: for operations such as logging out.
    public func complete() { answer(.empty) }

    /// Success of a credential extension: the challenged request is sent again with these.
    public func complete(httpAuthorizationHeaders headers: [String: String]) {
        answer(.headers(headers.sorted { $0.key < $1.key }.map { HeaderField($0.key, $0.value) }))
    }

    /// Success of a redirect extension, or of an operation: of the request's origin, with status 200 or 302.
    /// - Parameter httpBody: a small page, such as a form that posts itself; at most 128 KiB.
    public func complete(httpResponse: ASHTTPResponse, httpBody: Data? = nil) {
        answer(
            .response(
                WebResponse(
                    url: httpResponse.url.absoluteString, status: httpResponse.statusCode,
                    headers: httpResponse.headerFields, body: httpBody)))
    }

    public func complete(authorizationResult result: ASAuthorizationProviderExtensionAuthorizationResult) {
        switch result.content {
        case .headers(let headers): complete(httpAuthorizationHeaders: headers)
        case .response(let response, let body): complete(httpResponse: response, httpBody: body)
        }
    }

    public func complete(error: any Error) { answer(.failed(AuthorizationFailure(wrapping: error))) }

    private func answer(_ answer: ExtensionAnswer) {
        let isFirst = state.withLock { state in
            defer { if state == .open { state = .answered } }
            return state == .open
        }
        guard isFirst else {
            writeToLog("request \(request.id) was answered or cancelled before; another answer is not sent")
            return
        }
        connection.finish(request.id, with: answer)
    }

    /// Whether an answer would still be heard.
    public var isOpen: Bool { state.withLock { $0 == .open } }

    func markCanceled() { state.withLock { if $0 == .open { $0 = .canceled } } }

    // MARK: Presenting

    /// Shows a form where the person is: in the browser's tab, in the terminal, or in the desktop's browser.
    ///
    /// The counterpart of `presentAuthorizationViewController`. Forms of one extension are shown one after the other. After
    /// a wrong answer show it again, with ``PresentationForm/problem``.
    /// - Returns: the values by the names of fields; nil if the person pressed Cancel.
    /// - Throws: `AuthorizationFailure`, ``AuthorizationFailure/Code/notInteractive`` if nothing may be shown.
    public func present(_ form: PresentationForm) async throws -> [String: String]? {
        switch try await presented(.presentForm(id: request.id, form)) {
        case .submitted(let values): return values
        case .returned, .canceled: return nil
        case .unavailable(let failure): throw failure
        }
    }

    /// Shows a page of the web in a browser, until it leads back to the return URL: what signing in with an identity
    /// provider needs.
    /// - Parameter page: makes the page's URL from the return URL, an address on this device that is used once.
    /// - Returns: the URL to which the browser came back; nil if the person closed it.
    /// - Throws: `AuthorizationFailure`, as with a form; and what `page` throws.
    nonisolated(nonsending) public func presentWebPage(
        _ page: (_ returnURL: URL) async throws -> URL
    ) async throws -> URL? {
        guard isUserInterfaceEnabled else { throw AuthorizationFailure.notInteractive }
        let address = try await connection.returnURL(for: request.id, isOpen: { isOpen })
        guard let returnURL = URL(string: address) else {
            throw AuthorizationFailure(.failed, "The broker gave no return URL.")
        }
        let url = try await page(returnURL)
        switch try await presented(.presentWebPage(id: request.id, url.absoluteString)) {
        case .returned(let url): return URL(string: url)
        case .submitted, .canceled: return nil
        case .unavailable(let failure): throw failure
        }
    }

    private func presented(_ report: ExtensionReport) async throws -> PresentationResult {
        guard isUserInterfaceEnabled else { throw AuthorizationFailure.notInteractive }
        return try await connection.present(request.id, report, isOpen: { isOpen })
    }
}

/// What an app wants: open, so that apps and extensions can agree on their own.
public struct ASAuthorizationProviderAuthorizationOperation: Hashable, Sendable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// A request of the web, which no app asked for.
    public static let none = Self("")
    /// May ask the person.
    public static let login = Self("login")
    /// Must not.
    public static let refresh = Self("refresh")
    public static let logout = Self("logout")
    /// What it means is left to the provider.
    public static let implicit = Self("implicit")
    /// The profile goes: forget what belongs to it.
    public static let configurationRemoved = Self("configurationRemoved")
}

/// The head of a response.
public struct ASHTTPResponse: Hashable, Sendable {
    public var url: URL
    public var statusCode: Int
    public var headerFields: [HeaderField]

    public init(url: URL, statusCode: Int, headerFields: [HeaderField] = []) {
        self.url = url
        self.statusCode = statusCode
        self.headerFields = headerFields
    }
}

/// Headers or a response, as one value.
public struct ASAuthorizationProviderExtensionAuthorizationResult: Sendable {
    enum Content {
        case headers([String: String])
        case response(ASHTTPResponse, Data?)
    }

    let content: Content

    public init(httpAuthorizationHeaders: [String: String]) { content = .headers(httpAuthorizationHeaders) }

    public init(httpResponse: ASHTTPResponse, httpBody: Data?) { content = .response(httpResponse, httpBody) }
}

extension AuthorizationFailure {
    static let notInteractive = AuthorizationFailure(.notInteractive, "Nothing may be shown for this request.")

    init(wrapping error: any Error) {
        self = error as? AuthorizationFailure ?? AuthorizationFailure(.failed, "\(error)")
    }
}
