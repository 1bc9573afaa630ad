#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Messages from the broker to an extension, over the socket that the extension inherits.
public enum ExtensionCommand: Codable, Sendable {
    case begin(ExtensionRequest)
    /// The caller is gone or the time limit has passed; no answer is needed any more.
    case cancel(id: UInt64)
    /// The result of a form or page that the extension has presented.
    case presented(id: UInt64, PresentationResult)
    /// The return URL for a web page.
    case returnURL(id: UInt64, String)
}

/// Messages from an extension to the broker.
public enum ExtensionReport: Codable, Sendable {
    /// The first message, with the version of the protocol.
    case ready(version: Int)
    case completed(id: UInt64, ExtensionAnswer)
    case presentForm(id: UInt64, PresentationForm)
    /// Asks for a return URL; answered by ``ExtensionCommand/returnURL(id:_:)``.
    case prepareWebPage(id: UInt64)
    /// Shows this page in a browser until it redirects to the return URL.
    case presentWebPage(id: UInt64, String)
    /// Wants to be asked again for the request's payload, without a caller.
    case wake(id: UInt64, ExtensionWake)
}

/// When an extension wants to be asked again without a caller. docs/specifications/extensible-single-sign-on.md, 19.9.
public struct ExtensionWake: Codable, Hashable, Sendable {
    /// A time, which is used up when it has come; nil for none.
    public var at: Date?
    /// Whether also each time that this device may have got a network, until the extension says otherwise.
    public var isForNetwork: Bool

    public init(at: Date? = nil, isForNetwork: Bool = false) {
        self.at = at
        self.isForNetwork = isForNetwork
    }
}

/// The protocol between the broker and an extension: messages of JSON, each preceded by its length in four bytes,
/// big-endian.
public enum ExtensionProtocol {
    public static let version = 1
    /// The environment variable with the descriptor number of the inherited socket.
    public static let socketVariable = "LANYARD_SSO_EXTENSION_SOCKET"
    /// The environment variable with the path of the folder for this user and extension.
    public static let dataVariable = "LANYARD_SSO_EXTENSION_DATA"

    /// The path of that folder.
    /// - Parameter stateFolder: the broker's state folder.
    package static func dataFolder(of extensionIdentifier: String, in stateFolder: String) -> String {
        "\(stateFolder)/extensions/\(extensionIdentifier.fileName)"
    }

    /// The file in the folder of the extension for Kerberos that `KRB5_CONFIG` of a person's programs names.
    package static let kerberosProgramsFile = "programs.conf"

    /// The environment variable that makes an extension stop at its start until a debugger continues it.
    public static let debugVariable = "LANYARD_SSO_EXTENSION_DEBUG"
    /// The maximum size of an extension's message, in bytes.
    public static let messageBytesMax = 1 << 20
    /// The maximum size of the broker's message, in bytes. It is never reached: a caller's request has a megabyte at
    /// most, the profile's data not much more, and JSON encoding multiplies that by a small factor.
    public static let commandBytesMax = 16 << 20
}

/// One request, with all that is known about it. docs/specifications/extensible-single-sign-on.md, 10.
public struct ExtensionRequest: Codable, Sendable {
    public var id: UInt64
    /// The complete URL.
    public var url: String
    /// The operation; empty for a web request.
    public var operation: String
    /// The headers of the request; for a challenge, those of the server's answer.
    public var headers: [HeaderField]
    public var body: Data
    /// The realm; empty for a redirect payload.
    public var realm: String
    /// The payload's `ExtensionData`.
    public var extensionData: [String: PropertyListValue]
    public var caller: Caller
    /// The caller's options; for web requests, how the navigation came about.
    public var options: [String: PropertyListValue]
    /// Whether a form or page may be presented.
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
    /// For example `org.mozilla.firefox` for a sandboxed or desktop app, `exe:/usr/bin/curl` for others.
    public var bundleIdentifier: String
    /// For example `deb:curl`; empty if it is not known.
    public var teamIdentifier: String
    /// The name to show to people.
    public var displayName: String
    /// Whether the device's policy lists the app as managed.
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
    /// Success without a value.
    case empty
    /// Headers for the challenged request, which is then sent again.
    case headers([HeaderField])
    case response(WebResponse)
    case failed(AuthorizationFailure)
}
