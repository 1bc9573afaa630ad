import BrowserExtension

enum Browser: String, CaseIterable, Sendable {
    case chromium, chrome, edge, firefox

    var engine: BrowserExtension.Engine { self == .firefox ? .firefox : .chromium }
}

/// Where browsers look for native hosts and policies, and where Lanyard keeps the extension.
///
/// docs/specifications/extensible-single-sign-on.md, 20.2 and 20.5.
struct BrowserLayout: Sendable {
    enum Scope: Sendable {
        case system
        case user(home: String)
    }

    let scope: Scope

    static let hostName = "lanyard.sso"
    static let firefoxID = "sso@lanyard.example"

    /// Lanyard's own folder, for the other files that browsers read.
    var share: String {
        switch scope {
        case .system: "/usr/share/lanyard/browser"
        case .user(let home): "\(home)/.local/share/lanyard/browser"
        }
    }

    /// The program that browsers start. It is a script, because browsers pass no subcommand.
    var hostProgram: String { "\(share)/native-host" }
    var packedForChromium: String { "\(share)/lanyard-sso.crx" }
    var updates: String { "\(share)/updates.xml" }
    var packedForFirefox: String { "\(share)/lanyard-sso.xpi" }
    /// Where Debian's Firefox ESR takes extensions for all users from, also such that Mozilla has not signed. nil for a
    /// single user, in whose folder it takes none.
    var heldForFirefox: String? {
        guard case .system = scope else { return nil }
        return "/usr/share/mozilla/extensions/{ec8030f7-c20a-464f-9b0e-13a3a9e97384}/\(Self.firefoxID).xpi"
    }
    /// The unpacked extension, which people can add to a browser by hand.
    func unpacked(_ engine: BrowserExtension.Engine) -> String { "\(share)/\(engine.rawValue)" }

    var signingKey: String {
        switch scope {
        case .system: "/etc/lanyard/browser-extension.pem"
        case .user(let home): "\(home)/.config/lanyard/browser-extension.pem"
        }
    }

    func hostManifest(_ browser: Browser) -> String {
        let folder =
            switch (scope, browser) {
            case (.system, .chromium): "/etc/chromium/native-messaging-hosts"
            case (.system, .chrome): "/etc/opt/chrome/native-messaging-hosts"
            case (.system, .edge): "/etc/opt/edge/native-messaging-hosts"
            case (.system, .firefox): "/usr/lib/mozilla/native-messaging-hosts"
            case (.user(let home), .chromium): "\(home)/.config/chromium/NativeMessagingHosts"
            case (.user(let home), .chrome): "\(home)/.config/google-chrome/NativeMessagingHosts"
            case (.user(let home), .edge): "\(home)/.config/microsoft-edge/NativeMessagingHosts"
            case (.user(let home), .firefox): "\(home)/.mozilla/native-messaging-hosts"
            }
        return "\(folder)/\(Self.hostName).json"
    }

    /// nil for a single user, since policies exist only for the whole system.
    func policy(_ browser: Browser) -> String? {
        guard case .system = scope else { return nil }
        return switch browser {
        case .chromium: "/etc/chromium/policies/managed/lanyard-sso.json"
        case .chrome: "/etc/opt/chrome/policies/managed/lanyard-sso.json"
        case .edge: "/etc/opt/edge/policies/managed/lanyard-sso.json"
        // Firefox reads only this file, so it may already contain other policies.
        case .firefox: "/etc/firefox/policies/policies.json"
        }
    }

    /// Every file that may have been written for `browsers` and that none of `remaining` needs. Browsers of one engine share
    /// the extension, and all browsers share the native host.
    func files(for browsers: [Browser], keepingThoseOf remaining: [Browser]) -> [String] {
        var paths = browsers.flatMap { [hostManifest($0), policy($0)].compactMap { $0 } }
        let engines = BrowserExtension.Engine.allCases.filter { engine in
            browsers.contains { $0.engine == engine } && !remaining.contains { $0.engine == engine }
        }
        for engine in engines {
            paths += BrowserExtension.files(for: engine).map { "\(unpacked(engine))/\($0.path)" }
            paths +=
                engine == .chromium
                ? [packedForChromium, updates] : [packedForFirefox, heldForFirefox].compactMap { $0 }
        }
        if remaining.isEmpty { paths.append(hostProgram) }
        return paths
    }
}
