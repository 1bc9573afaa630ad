#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the broker tells an extension, over the socket that the extension inherits.
public enum ExtensionCommand: Codable, Sendable {
    case begin(ExtensionRequest)
    /// The caller is gone, or the time is over: no answer is wanted any more.
    case cancel(id: UInt64)
    /// The person has answered what the extension asked to present.
    case presented(id: UInt64, PresentationResult)
    /// The address to which the person's browser may be sent back.
    case returnURL(id: UInt64, String)
}

/// What an extension tells the broker.
public enum ExtensionReport: Codable, Sendable {
    /// The first message.
    case ready(version: Int)
    case completed(id: UInt64, ExtensionAnswer)
    case presentForm(id: UInt64, PresentationForm)
    /// Wants an address to which a browser may come back; `returnURL` answers.
    case prepareWebPage(id: UInt64)
    /// Shows this page in a browser, until it comes back to the return URL.
    case presentWebPage(id: UInt64, String)
}

public enum ExtensionProtocol {
    public static let version = 1
    /// The environment variable with the number of the inherited socket.
    public static let socketVariable = "LANYARD_SSO_EXTENSION_SOCKET"
    /// The environment variable with the folder that belongs to this user and extension alone.
    public static let dataVariable = "LANYARD_SSO_EXTENSION_DATA"

    /// That folder.
    /// - Parameter stateFolder: of the broker.
    package static func dataFolder(of extensionIdentifier: String, in stateFolder: String) -> String {
        "\(stateFolder)/extensions/\(extensionIdentifier.fileName)"
    }

    /// The environment variable that lets an extension stop at its start, until a debugger lets it go on.
    public static let debugVariable = "LANYARD_SSO_EXTENSION_DEBUG"
    /// An extension's message has at most so many bytes.
    public static let messageBytesMax = 1 << 20
    /// The broker's never has as many: a caller's request has a megabyte at most, a profile not much more, and writing them
    /// in JSON makes a few times as much of them.
    public static let commandBytesMax = 16 << 20
}

/// One request, with all that is known about it. docs/specifications/extensible-single-sign-on.md, 10.
public struct ExtensionRequest: Codable, Sendable {
    public var id: UInt64
    /// With every component.
    public var url: String
    /// Empty for a request of the web.
    public var operation: String
    public var headers: [HeaderField]
    public var body: Data
    /// Empty for a redirect payload.
    public var realm: String
    public var extensionData: [String: PropertyListValue]
    public var caller: Caller
    public var options: [String: PropertyListValue]
    /// Whether anything may be presented.
    public var isUserInterfaceEnabled: Bool
    /// Whether this is a challenge, to be answered with headers.
    public var isCredential: Bool

    public init(
        id: UInt64, url: String, operation: String, headers: [HeaderField], body: Data, realm: String,
        extensionData: [String: PropertyListValue], caller: Caller, options: [String: PropertyListValue],
        isUserInterfaceEnabled: Bool, isCredential: Bool
    ) {
        self.id = id
        self.url = url
        self.operation = operation
        self.headers = headers
        self.body = body
        self.realm = realm
        self.extensionData = extensionData
        self.caller = caller
        self.options = options
        self.isUserInterfaceEnabled = isUserInterfaceEnabled
        self.isCredential = isCredential
    }
}

/// Who asks, as far as the system can tell. docs/specifications/extensible-single-sign-on.md, 12.
public struct Caller: Codable, Hashable, Sendable {
    /// Such as `org.mozilla.firefox` for a sandboxed app or an app of the desktop, `exe:/usr/bin/curl` for others.
    public var bundleIdentifier: String
    /// Such as `deb:curl`; empty if nobody knows.
    public var teamIdentifier: String
    public var displayName: String
    /// Whether the organization has put the app on this device.
    public var isManaged: Bool
    public var processIdentifier: Int32

    public init(
        bundleIdentifier: String, teamIdentifier: String, displayName: String, isManaged: Bool,
        processIdentifier: Int32
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.teamIdentifier = teamIdentifier
        self.displayName = displayName
        self.isManaged = isManaged
        self.processIdentifier = processIdentifier
    }
}

/// How an extension ends a request. docs/specifications/extensible-single-sign-on.md, 11.
public enum ExtensionAnswer: Codable, Hashable, Sendable {
    case doNotHandle
    case canceled
    /// Success, with nothing to say.
    case empty
    /// To be sent with the request that was challenged.
    case headers([HeaderField])
    case response(WebResponse)
    case failed(AuthorizationFailure)
}
