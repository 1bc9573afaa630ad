import BrowserExtension
import CommandOutput
import Ground
import SingleSignOn

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// Whether the browsers of this computer ask: their policies, the hosts that the extension may touch, and the program that
/// they start.
struct BrowserExamination {
    let payloads: [SingleSignOnPayload]
    /// A prefix for the system's paths; empty for the system itself.
    var root = ""
    let environment: [String: String]

    private static let remedy = "Run `sudo lanyard-sso browser-policy --install`, and restart the browser."

    func findings() -> [DoctorFinding] {
        // Without a profile there is nothing to ask about, which is told elsewhere.
        guard !payloads.isEmpty else { return [] }
        let present = Browser.allCases.filter(isPresent)
        guard !present.isEmpty else {
            return [
                .ok(
                    "browser policy",
                    "None of the browsers is installed that could ask: \(Self.names(Browser.allCases)).")
            ]
        }
        var programs: Set<String> = []
        let findings = present.flatMap { self.findings(of: $0, &programs) }
        return findings + programs.sorted().map(host)
    }

    private static func names(_ browsers: [Browser]) -> String { browsers.map(\.rawValue).joined(separator: ", ") }

    private func isPresent(_ browser: Browser) -> Bool {
        let names =
            switch browser {
            case .chromium: ["chromium", "chromium-browser"]
            case .chrome: ["google-chrome", "google-chrome-stable"]
            case .edge: ["microsoft-edge", "microsoft-edge-stable"]
            case .firefox: ["firefox", "firefox-esr"]
            }
        return isPresent(anyOf: names)
    }

    private func isPresent(anyOf programs: [String]) -> Bool {
        let folders = (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        return folders.contains { folder in programs.contains { access("\(folder)/\($0)", X_OK) == 0 } }
    }

    /// - Parameter programs: takes up the native host of the browser.
    private func findings(of browser: Browser, _ programs: inout Set<String>) -> [DoctorFinding] {
        let system = BrowserLayout(scope: .system)
        let own = BrowserLayout(scope: .user(home: environment["HOME"] ?? "/"))
        let name = browser.rawValue
        if let manifest = Self.fields(of: root + system.hostManifest(browser)) {
            programs.insert(root + (manifest["path"]?.text ?? system.hostProgram))
            return policy(of: browser, system) + hosts(of: browser, root + system.unpacked(.chromium))
        }
        if let manifest = Self.fields(of: own.hostManifest(browser)) {
            programs.insert(manifest["path"]?.text ?? own.hostProgram)
            return [.ok("browser policy", "\(name): you have added the extension yourself.")]
                + hosts(of: browser, own.unpacked(.chromium))
        }
        return [
            .problem(
                "browser policy",
                "\(name) is installed, and does not know of single sign-on: \(system.hostManifest(browser)) is missing.",
                remedy: Self.remedy)
        ]
    }

    private func policy(of browser: Browser, _ layout: BrowserLayout) -> [DoctorFinding] {
        guard let path = layout.policy(browser) else { return [] }
        let name = browser.rawValue
        guard let policy = Self.fields(of: root + path) else {
            return [
                .problem(
                    "browser policy", "\(name) has no policy: \(path) is missing, or is no JSON.", remedy: Self.remedy)
            ]
        }
        let extensions = (browser == .firefox ? policy["policies"]?.fields : policy)?["ExtensionSettings"]?.fields
        guard let extensions, browser != .firefox || extensions[BrowserLayout.firefoxID] != nil else {
            return [
                .problem(
                    "browser policy", "\(name): \(path) does not have the extension installed.",
                    remedy: """
                        The file has policies of others. `lanyard-sso browser-policy --browser \(name)` prints what belongs \
                        into it.
                        """)
            ]
        }
        let missing = browser == .firefox ? held(extensions[BrowserLayout.firefoxID]?.fields, layout) : nil
        return [missing ?? .ok("browser policy", "\(name): \(path)")] + tickets(of: browser, policy, path)
    }

    /// What is wrong if no policy installs Firefox's extension: Debian's Firefox finds it in a folder of the system, and every
    /// other wants one that Mozilla has signed.
    private func held(_ entry: [String: JSONValue]?, _ layout: BrowserLayout) -> DoctorFinding? {
        guard entry?["install_url"] == nil, let path = layout.heldForFirefox else { return nil }
        guard access(root + path, R_OK) == 0 else {
            return .problem(
                "browser policy", "firefox does not have the extension: \(path) is missing.", remedy: Self.remedy)
        }
        guard isPresent(anyOf: ["firefox-esr"]) else {
            return .warning(
                "browser policy",
                "firefox: only Debian's takes the extension from \(path), because Mozilla has not signed it.",
                remedy: "If yours is another Firefox, have the extension signed: docs/browsers.md, “Firefox”.")
        }
        return nil
    }

    /// Whether the browser may answer with tickets at the hosts of the profiles for Kerberos.
    private func tickets(of browser: Browser, _ policy: [String: JSONValue], _ path: String) -> [DoctorFinding] {
        let wanted = Set(payloads.filter(\.isKerberos).flatMap(\.hosts).map(\.canonical))
        let allowed =
            browser == .firefox
            ? policy["policies"]?.fields?["Authentication"]?.fields?["SPNEGO"]?.texts ?? []
            : (policy["AuthServerAllowlist"]?.text ?? "").split(separator: ",").map(String.init)
        let missing = wanted.filter { host in
            !allowed.contains { $0 == host || $0 == "*\(host)" || $0 == "[\(host)]" }
        }
        guard !missing.isEmpty else { return [] }
        return [
            .problem(
                "browser policy",
                "\(browser.rawValue) does not answer with tickets at \(missing.sorted().joined(separator: ", ")): \(path) does not name it.",
                remedy: Self.remedy)
        ]
    }

    /// Whether the extension may touch the hosts of the profiles. Firefox's may touch all.
    private func hosts(of browser: Browser, _ unpacked: String) -> [DoctorFinding] {
        guard browser.engine == .chromium else { return [] }
        let permissions =
            FileManager.default.contents(atPath: "\(unpacked)/manifest.json").flatMap {
                try? BrowserManifest(reading: $0)
            }?
            .hostPermissions ?? []
        let patterns = permissions.compactMap { $0.split(separator: "/").dropFirst().first.map(String.init) }
        let missing = Set(payloads.flatMap(\.urls).map(\.host)).filter { host in
            !patterns.contains { Self.pattern($0, has: host) }
        }
        guard !missing.isEmpty else { return [] }
        return [
            .problem(
                "browser policy",
                """
                \(browser.rawValue): the extension may not touch \(missing.sorted().joined(separator: ", ")), which the profiles \
                cover.
                """, remedy: Self.remedy)
        ]
    }

    /// `*`, `*.acme.test`, which has the name itself too, or a name.
    private static func pattern(_ pattern: String, has host: String) -> Bool {
        guard pattern.hasPrefix("*.") else { return pattern == "*" || pattern == host }
        return host == pattern.dropFirst(2) || host.hasSuffix(pattern.dropFirst())
    }

    private func host(_ program: String) -> DoctorFinding {
        switch NativeHostProbe.hello(program) {
        case nil: .ok("native host", "\(program) answers as a browser would start it.")
        case let reason?:
            .problem(
                "native host", "\(program), which browsers start, does not answer: \(reason).", remedy: Self.remedy)
        }
    }

    private static func fields(of path: String) -> [String: JSONValue]? {
        FileManager.default.contents(atPath: path).flatMap { try? JSONValue(reading: $0).fields }
    }
}
