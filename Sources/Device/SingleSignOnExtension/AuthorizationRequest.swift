import SingleSignOnWire
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request to an extension. It is answered exactly once; a second answer is not sent, and is noted in the log.
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
        // The broker has parsed the URL already, so this cannot fail.
        url = URL(string: request.url) ?? URL(filePath: "/")
    }

    /// The URL of the request, with every component.
    public let url: URL
    /// `login`, `refresh`, `logout`, `implicit`, `configurationRemoved` or one that apps and extension agree on; empty
    /// for a web request.
    public var requestedOperation: ASAuthorizationProviderAuthorizationOperation { .init(request.operation) }
    /// The headers of the request; for a challenge, those of the server's answer. Values of one name, compared without
    /// case, are joined by commas under its first spelling.
    public var httpHeaders: [String: String] {
        var names: [String: String] = [:]
        return request.headers.reduce(into: [:]) { headers, header in
            let name = names[header.name.lowercased(), default: header.name]
            names[header.name.lowercased()] = name
            headers[name] = headers[name].map { "\($0), \(header.value)" } ?? header.value
        }
    }
    /// The same headers one by one, as received.
    public var httpHeaderFields: [HeaderField] { request.headers }
    /// The body of the request; empty if there is none.
    public var httpBody: Data { request.body }
    /// The realm of the payload, or the one that the request names; empty for a redirect payload.
    public var realm: String { request.realm }
    /// The payload's `ExtensionData`.
    public var extensionData: [String: PropertyListValue] { request.extensionData }
    /// The options that the caller passes; for web requests, how the navigation came about.
    public var authorizationOptions: [String: PropertyListValue] { request.options }
    /// Which request of the caller a challenge belongs to, so that the server's second challenge continues what the first
    /// has begun; nil if the caller does not say. No other process has the same.
    /// docs/specifications/extensible-single-sign-on.md, 18.6.
    public var conversation: String? { request.options["conversation"]?.text }
    /// For a challenge over TLS: the certificate of the server, in DER, if the caller says it. An answer that is bound to it is
    /// of no use to whoever passes it on to another server (RFC 5929 §4).
    public var serverCertificate: Data? {
        if case .data(let certificate)? = request.options["serverCertificate"] { certificate } else { nil }
    }
    /// The app that asks, such as `org.mozilla.firefox` or `exe:/usr/bin/curl`. Another program of the same user can
    /// imitate it. docs/specifications/extensible-single-sign-on.md, 12.
    public var callerBundleIdentifier: String { request.caller.bundleIdentifier }
    /// For example `deb:curl`; empty if it is not known.
    public var callerTeamIdentifier: String { request.caller.teamIdentifier }
    /// The name of the app to show to people.
    public var localizedCallerDisplayName: String { request.caller.displayName }
    /// Whether the device's policy lists the app as managed.
    public var isCallerManaged: Bool { request.caller.isManaged }
    /// Whether a form or page may be shown. If not, presenting throws ``AuthorizationFailure/Code/notInteractive``.
    public var isUserInterfaceEnabled: Bool { request.isUserInterfaceEnabled }
    /// Whether this is a challenge, to be answered with headers.
    public var isChallenge: Bool { request.isCredential }

    /// A folder for this caller's data, separate from that of other apps.
    public var callerData: ExtensionFolder { ExtensionFolder.shared.folder(of: request.caller.bundleIdentifier) }

    // MARK: Answers

    /// Declines the request: the page loads from the web, and a challenge is handled as without the extension.
    public func doNotHandle() { answer(.doNotHandle) }

    /// Ends the request because the person has canceled it.
    public func cancel() { answer(.canceled) }

    /// Success without a value, for operations such as logging out.
    public func complete() { answer(.empty) }

    /// Success of a credential extension: the challenged request is sent again with these headers.
    public func complete(httpAuthorizationHeaders headers: [String: String]) {
        answer(.headers(headers.sorted { $0.key < $1.key }.map { HeaderField($0.key, $0.value) }))
    }

    /// Success of a redirect extension or of an operation. The response must have the request's origin and status 200
    /// or 302.
    /// - Parameter httpBody: a small page, such as a form that posts itself; at most 128 KiB.
    public func complete(httpResponse: ASHTTPResponse, httpBody: Data? = nil) {
        answer(
            .response(
                WebResponse(
                    url: httpResponse.url.absoluteString, status: httpResponse.statusCode,
                    headers: httpResponse.headerFields, body: httpBody)))
    }

    /// Success with headers or a response, as one value.
    public func complete(authorizationResult result: ASAuthorizationProviderExtensionAuthorizationResult) {
        switch result.content {
        case .headers(let headers): complete(httpAuthorizationHeaders: headers)
        case .response(let response, let body): complete(httpResponse: response, httpBody: body)
        }
    }

    /// Failure. An app gets domain, code, texts and underlying error; a browser continues without single sign-on.
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

    /// Has the broker ask this extension again by itself, for the same payload: with a request of the operation
    /// ``ASAuthorizationProviderAuthorizationOperation/wake``, for which nothing may be shown. To be called before the request
    /// is answered; the last call for a payload counts, also after the extension or the broker was started again. Without a
    /// time and without networks, nothing comes any more.
    ///
    /// The option `reason` of such a request is `time` or `network`. It ends like any other, with ``complete()`` or with an
    /// error, and may be cancelled.
    /// - Parameters:
    ///   - time: at least five seconds from now, at most thirty days; what lies outside is moved there. It is used up when it has
    ///     come, so that the extension names the next one then. The device may be asleep or off at that time; then it comes soon
    ///     after that.
    ///   - isForNetwork: whether also each time that this device may have got a network.
    public func wakeExtension(at time: Date?, onNetworkChange isForNetwork: Bool = false) {
        guard isOpen else {
            return writeToLog("request \(request.id) was answered or cancelled before; it can name no time")
        }
        connection.wake(request.id, ExtensionWake(at: time, isForNetwork: isForNetwork))
    }

    /// Whether the request can still be answered.
    public var isOpen: Bool { state.withLock { $0 == .open } }

    func markCanceled() { state.withLock { if $0 == .open { $0 = .canceled } } }

    // MARK: Presenting

    /// Shows a form to the person: in the browser's tab, in the terminal, or in the desktop's browser.
    ///
    /// The counterpart of `presentAuthorizationViewController`. Forms of one extension are shown one after the other.
    /// After a wrong answer, show it again with ``PresentationForm/problem``.
    /// - Returns: the values by field name; nil if the person pressed Cancel.
    /// - Throws: `AuthorizationFailure`, ``AuthorizationFailure/Code/notInteractive`` if nothing may be shown.
    public func present(_ form: PresentationForm) async throws -> [String: String]? {
        switch try await presented(.presentForm(id: request.id, form)) {
        case .submitted(let values): return values
        case .returned, .canceled: return nil
        case .unavailable(let failure): throw failure
        }
    }

    /// Shows a web page in a browser until it redirects to the return URL, for signing in with an identity provider.
    /// - Parameter page: makes the page's URL from the return URL, which is an address on this device that is used
    ///   once.
    /// - Returns: the URL to which the browser was redirected; nil if the person closed the page.
    /// - Throws: `AuthorizationFailure` as ``present(_:)`` does, and what `page` throws.
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

/// The operation that an app asks for. Apps and extensions can define further ones.
public struct ASAuthorizationProviderAuthorizationOperation: Hashable, Sendable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// A web request, without an operation.
    public static let none = Self("")
    /// Signs in; may ask the person.
    public static let login = Self("login")
    /// Renews tokens; must not ask the person.
    public static let refresh = Self("refresh")
    /// Signs out; may answer without a value.
    public static let logout = Self("logout")
    /// Its meaning is up to the provider.
    public static let implicit = Self("implicit")
    /// The profile was removed: delete the data that belongs to it.
    public static let configurationRemoved = Self("configurationRemoved")
    /// The time has come, or the network, that the extension has named with
    /// ``ASAuthorizationProviderExtensionAuthorizationRequest/wakeExtension(at:onNetworkChange:)``. There is no caller.
    public static let wake = Self("wake")
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

/// Headers or a response as one value.
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
