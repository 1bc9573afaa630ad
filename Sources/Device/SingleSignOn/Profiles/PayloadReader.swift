import Ground
import SingleSignOnWire

/// Reads one payload `com.apple.extensiblesso`. extensible-sso.md sections 1.2 and 1.6.
struct PayloadReader {
    /// With their places in the file.
    private(set) var urls: [(index: Int, value: URLPrefix)] = []
    private(set) var hosts: [(index: Int, value: HostPattern)] = []
    private var keys: Keys

    var findings: [Finding] { keys.findings }

    init(_ keys: Keys) {
        self.keys = keys
    }

    /// - Returns: nil if there is no extension to name; other errors are in `findings`.
    mutating func read() -> SingleSignOnPayload? {
        let uuid = keys.string("PayloadUUID", isRequired: true)
        _ = keys.string("PayloadIdentifier", isRequired: true)
        let identifier = keys.identifier("ExtensionIdentifier", isRequired: true)
        let team = keys.identifier("TeamIdentifier")
        if keys.entries["TeamIdentifier"] == nil {
            keys.report(
                .warning, "TeamIdentifier", "is missing.",
                "Name the team of the extension: without it, one of another maker with the same identifier would do.")
        }
        let type = keys.string("Type", isRequired: true)
        let realm = keys.string("Realm")
        let kind: SingleSignOnPayload.Kind?
        switch type {
        case "Redirect":
            readURLs()
            ignored(["Hosts", "Realm"], for: "Redirect")
            kind = .redirect(urls.map(\.value))
        case "Credential":
            readHosts()
            checkCapitals(of: realm)
            ignored(["URLs"], for: "Credential")
            kind = .credential(hosts: hosts.map(\.value), realm: realm)
        case let other?:
            let known = ["Redirect", "Credential"].first { $0.lowercased() == other.lowercased() }
            keys.report(.error, "Type", "is “\(other)”.", "Write \(known ?? "Redirect or Credential").")
            checkURLsAndHosts()
            kind = nil
        case nil:
            checkURLsAndHosts()
            kind = nil
        }
        let data = keys.dictionary("ExtensionData") ?? [:]
        let locked = screenLockedBehavior()
        let denied = deniedBundleIdentifiers()
        KerberosKeys.check(&keys, identifier: identifier, team: team, type: type, realm: realm, data: data)
        checkUnknown()
        guard let uuid, let identifier, let kind else { return nil }
        return SingleSignOnPayload(
            uuid: uuid, extensionIdentifier: identifier, teamIdentifier: team, kind: kind, extensionData: data,
            screenLockedBehavior: locked, deniedBundleIdentifiers: denied)
    }

    /// Where nobody can tell which of them count: what is wrong with them is to be mended in the same go.
    private mutating func checkURLsAndHosts() {
        if keys.entries["URLs"] != nil { readURLs() }
        if keys.entries["Hosts"] != nil { readHosts() }
    }

    private mutating func readURLs() {
        guard let texts = keys.strings("URLs", isRequired: true) else { return }
        if texts.isEmpty { keys.report(.error, "URLs", "is empty.", "A Redirect payload lists URLs.") }
        for (index, text) in texts {
            let key = "URLs[\(index)]"
            do {
                let prefix = try URLPrefix(text)
                urls.append((index, prefix))
                if !prefix.url.origin.isSecure {
                    keys.report(
                        .warning, key, "has “\(text)”, with which tokens travel in the clear.", "Write https.")
                }
                // The last word is what most call their authorization endpoint (RFC 6749), below which nothing lies.
                if prefix.url.path != "/", !prefix.url.path.hasSuffix("/"), !prefix.url.path.hasSuffix("/authorize") {
                    keys.report(
                        .warning, key, "has “\(text)”, a path without a slash at its end.",
                        "Write “\(text)/”, unless the path itself is meant too.")
                }
            } catch {
                keys.report(.error, key, "has “\(text)”, \(error.reason).", error.remedy)
            }
        }
    }

    private mutating func readHosts() {
        guard let texts = keys.strings("Hosts", isRequired: true) else { return }
        if texts.isEmpty { keys.report(.error, "Hosts", "is empty.", "A Credential payload lists hosts.") }
        for (index, text) in texts {
            do {
                hosts.append((index, try HostPattern(text)))
            } catch {
                // What names no host of itself never matches; the others of the list do.
                let isHarmless = [.hasPort, .hasWildcard].contains(error)
                keys.report(
                    isHarmless ? .warning : .error, "Hosts[\(index)]", "has “\(text)”, \(error.reason).", error.remedy)
            }
        }
    }

    private mutating func checkCapitals(of realm: String?) {
        guard let realm, realm != realm.uppercased() else { return }
        keys.report(
            .warning, "Realm", "is “\(realm)”, with small letters.",
            "Realms are compared with their capitals, and most have nothing else: write “\(realm.uppercased())” if that is so."
        )
    }

    private mutating func screenLockedBehavior() -> SingleSignOnPayload.ScreenLockedBehavior {
        guard let text = keys.string("ScreenLockedBehavior") else { return .cancel }
        guard let behavior = SingleSignOnPayload.ScreenLockedBehavior(rawValue: text) else {
            keys.report(.error, "ScreenLockedBehavior", "is “\(text)”.", "Write Cancel or DoNotHandle.")
            return .cancel
        }
        return behavior
    }

    private mutating func deniedBundleIdentifiers() -> Set<String> {
        let texts = keys.strings("DeniedBundleIdentifiers") ?? []
        for (index, text) in texts where text.contains("*") {
            keys.report(
                .warning, "DeniedBundleIdentifiers[\(index)]", "has “\(text)”: nothing is a wildcard there.",
                "Write each caller's identifier out.")
        }
        return Set(texts.map(\.text))
    }

    private mutating func ignored(_ names: [String], for type: String) {
        for name in names where keys.entries[name] != nil {
            keys.report(.warning, name, "means nothing in a \(type) payload.", "Leave it out.")
        }
    }

    private mutating func checkUnknown() {
        for key in keys.entries.keys.sorted() {
            if Self.platformKeys.contains(key) {
                keys.report(
                    .warning, key, "belongs to Platform SSO, which is kept and not acted on.",
                    key == "AuthenticationMethod" ? "It is out of date since macOS 14, too." : nil)
            } else if !Self.knownKeys.contains(key) {
                let like = key.closest(in: Self.knownKeys)
                keys.report(
                    .warning, key, "is no key of this payload.", like.map { "Did you mean \($0)?" } ?? "Leave it out.")
            }
        }
    }

    private static let platformKeys: Set = ["AuthenticationMethod", "RegistrationToken", "PlatformSSO"]
    private static let knownKeys: Set = [
        "ExtensionIdentifier", "TeamIdentifier", "Type", "URLs", "Hosts", "Realm", "ExtensionData",
        "ScreenLockedBehavior", "DeniedBundleIdentifiers",
        "PayloadType", "PayloadVersion", "PayloadIdentifier", "PayloadUUID", "PayloadDisplayName",
        "PayloadOrganization", "PayloadDescription",
    ]
}

extension URLPrefix.Problem {
    fileprivate var reason: String {
        switch self {
        case .notWeb: "which begins with neither http:// nor https://"
        case .noHost: "which has no host"
        case .malformed: "which is no URL"
        case .hasQuery: "which has a query"
        case .hasFragment: "which has a fragment"
        case .hasUserInfo: "which has a user name"
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .notWeb, .noHost, .malformed: "Write a URL such as https://id.acme.test/realms/staff/."
        case .hasQuery: "Leave out the question mark and what follows: requests match with any query."
        case .hasFragment: "Leave out the # and what follows."
        case .hasUserInfo: "Leave out what stands before the @."
        }
    }
}

extension HostPattern.Problem {
    fileprivate var reason: String {
        switch self {
        case .empty: "which names no host"
        case .malformed: "which is no host name"
        case .hasPort: "which has a port, and so never matches"
        case .hasScheme: "which is a URL"
        case .hasPath: "which has a path"
        case .hasWildcard: "which has an asterisk, and so never matches"
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .empty, .malformed: "Write a host name such as intranet.acme.test, or .acme.test for all below it."
        case .hasPort: "Leave out the port: all ports of a host match."
        case .hasScheme, .hasPath: "Write the host name alone."
        case .hasWildcard: "Write .acme.test for all names below acme.test."
        }
    }
}
