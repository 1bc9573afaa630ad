import ArgumentParser
import BrowserExtension
import CommandOutput
import SingleSignOn

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// `lanyard-sso browser-policy`: sets up a device's browsers to ask the broker.
struct BrowserPolicyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browser-policy",
        abstract: "Put the extension, its native host and the policies of the browsers in place, or take them away.",
        discussion: """
            Without --install, --user, --out or --remove, prints what --install would write. Every file is Lanyard's own; files \
            of others are never changed.

            The hosts of profiles for Kerberos become those that browsers answer with tickets. Run it again when profiles \
            come, change or go.
            """)

    @OptionGroup var output: OutputOptions

    @Flag(help: "Write to the system's places, for all users. Needs root.")
    var install = false

    @Flag(
        help: "Write to your own places. Policies are the system's, so you add the extension to the browser yourself.")
    var user = false

    @Option(help: "Write below this folder as if it were the system's root, for a package.", completion: .directory)
    var out: String?

    @Flag(
        help: """
            Take away what --install has written, or with --user or --out what they have. A key that was made stays.
            """)
    var remove = false

    @Option(help: "Only for this browser: chromium, chrome, edge or firefox. May be repeated.")
    var browser: [Browser] = []

    @Option(
        help: """
            A host of your profiles' URLs: the extension may touch these alone. May be repeated; without it, the hosts of \
            the installed profiles. For Chromium, Chrome and Edge.
            """)
    var allowedHost: [String] = []

    @OptionGroup var places: ProfileStoreOptions

    @Option(help: "Where Chromium, Chrome and Edge find updates.xml, if not on this device.")
    var updateURL: String?

    @Option(help: "Where Firefox finds the extension, if not on this device.")
    var installURL: String?

    @Flag(help: "Let Firefox ESR take an extension that Mozilla has not signed.")
    var allowUnsigned = false

    @Option(
        help: "The RSA key that signs the extension for Chromium; made if it is not there.", completion: .file())
    var signingKey: String?

    @Option(help: "The lanyard-sso program, as browsers will start it.", completion: .file())
    var program: String?

    func validate() throws {
        guard [install, user, out != nil].filter({ $0 }).count <= 1 else {
            throw ValidationError("Choose one of --install, --user and --out.")
        }
        // Chromium verifies the signature of an update, so plain HTTP is safe. Firefox does not, so the transfer must
        // be protected.
        for (name, url, schemes) in [
            ("--update-url", updateURL, ["https", "http", "file"]), ("--install-url", installURL, ["https", "file"]),
        ] {
            guard let url else { continue }
            guard let scheme = URL(string: url)?.scheme?.lowercased(), schemes.contains(scheme) else {
                let beginnings = schemes.map { "\($0)://" }.joined(separator: " or ")
                throw ValidationError("\(name) is a URL that begins with \(beginnings).")
            }
        }
        for host in allowedHost where !Self.isHost(host) {
            throw ValidationError("--allowed-host is the name of a host, such as id.acme.test; “\(host)” is none.")
        }
    }

    /// Whether the text is a host name, a name after `*.`, or `*` for all hosts.
    private static func isHost(_ text: String) -> Bool {
        let name = text.hasPrefix("*.") ? String(text.dropFirst(2)) : text
        return text == "*"
            || !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".-[]:".contains($0)) }
    }

    /// The hosts from the options, or else those of the installed profiles. Others must not be included: Chromium
    /// treats the extension's navigations on a permitted host as the site's own.
    private func hosts(for browsers: [Browser], of payloads: [SingleSignOnPayload]) throws -> [String] {
        guard allowedHost.isEmpty, browsers.contains(where: { $0.engine == .chromium }) else { return allowedHost }
        let hosts = Set(payloads.flatMap(\.urls).map(\.host))
        guard !hosts.isEmpty || payloads.contains(where: \.isKerberos) else {
            throw Failure(
                """
                No profile with URLs is installed, so nothing says which hosts the extension may touch. Install the profile \
                first, or name the hosts of its URLs: --allowed-host id.acme.test. Where there is none any more, --remove \
                takes away what was written for it.
                """)
        }
        return hosts.sorted()
    }

    func run() throws {
        if install || remove, !user, out == nil, geteuid() != 0 {
            throw Failure("This changes /etc and /usr, which takes root. Run it with sudo, or use --user.")
        }
        // Browsers use the variable HOME, which FileManager ignores.
        let named = ProcessInfo.processInfo.environment["HOME"].flatMap { $0.isEmpty ? nil : $0 }
        let home = named ?? FileManager.default.homeDirectoryForCurrentUser.path
        let layout = BrowserLayout(scope: user ? .user(home: home) : .system)
        let browsers = browser.isEmpty ? Browser.allCases : browser
        // The browsers of all users read these files. The signing key is created with its own, stricter mode.
        let mask = umask(0o022)
        defer { umask(mask) }
        let files = InstalledFiles(root: out ?? "")
        if remove {
            // The manifest of its native host shows that a browser was set up and still needs the shared files.
            let remaining = Browser.allCases.filter {
                !browsers.contains($0) && files.contains(layout.hostManifest($0))
            }
            let removed = try files.remove(layout.files(for: browsers, keepingThoseOf: remaining))
            return try output.print(removed) {
                removed.isEmpty
                    ? "There was nothing to take away." : removed.map { "removed \($0)" }.joined(separator: "\n")
            }
        }
        let payloads = places.store.load().payloads
        let hosts = try hosts(for: browsers, of: payloads)
        let isWritten = install || user || out != nil
        let key = try signingIdentity(layout: layout, files: files, isWritten: isWritten)
        let plan = try BrowserPlan(
            layout: layout, browsers: browsers, program: try programPath(), identity: key,
            settings: .init(
                allowedHosts: hosts,
                previousManifest: FileManager.default.contents(
                    atPath: "\(files.root)\(layout.unpacked(.chromium))/manifest.json"),
                updateURL: updateURL, installURL: installURL, allowsUnsigned: allowUnsigned,
                negotiateHosts: Set(payloads.filter(\.isKerberos).flatMap(\.hosts).map(\.canonical)).sorted()))
        guard isWritten else { return try printPlan(plan) }
        let report = try files.write(plan.files)
        // What an earlier run has left there would come before what the policy installs now.
        if let held = layout.heldForFirefox, browsers.contains(.firefox),
            !plan.files.contains(where: { $0.path == held })
        {
            _ = try files.remove([held])
        }
        for warning in report.warnings {
            printToStandardError(warning)
        }
        try output.print(report) {
            (Self.summary(report.written) + plan.nextSteps).joined(separator: "\n")
        }
    }

    /// The paths to print, with one line for each folder of the extension instead of its files.
    private static func summary(_ paths: [String]) -> [String] {
        let extensions = BrowserExtension.Engine.allCases.map { "/browser/\($0.rawValue)/" }
        var lines: [String] = []
        for path in paths {
            guard let part = extensions.first(where: path.contains), let end = path.firstRange(of: part)?.upperBound
            else {
                lines.append("wrote \(path)")
                continue
            }
            let folder = "wrote \(path[..<end])"
            if lines.last != folder { lines.append(folder) }
        }
        return lines
    }

    /// The key that signs this device's packed extension. nil for a single user without `--signing-key`, who adds the
    /// unpacked folder by hand.
    private func signingIdentity(layout: BrowserLayout, files: InstalledFiles, isWritten: Bool) throws
        -> SigningIdentity?
    {
        if signingKey == nil, user { return nil }
        let path = signingKey ?? files.root + layout.signingKey
        if let identity = try SigningIdentity.read(path) { return identity }
        return isWritten ? try SigningIdentity.make(path) : try SigningIdentity.unsaved()
    }

    private func programPath() throws -> String {
        let path = program ?? (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        guard path.hasPrefix("/") else {
            throw Failure("--program is the whole path of lanyard-sso, from the root on.")
        }
        guard URL(fileURLWithPath: path).lastPathComponent != "lanyard" else {
            throw Failure("\(path) is the server's program; browsers are answered by lanyard-sso. Name that one.")
        }
        guard !path.contains(where: { $0.isNewline || $0 == "'" }) else {
            throw Failure("The path of lanyard-sso has a character that a shell script cannot hold: \(path)")
        }
        return path
    }

    private func printPlan(_ plan: BrowserPlan) throws {
        struct Entry: Encodable {
            let path: String
            let content: String?
        }
        try output.print(plan.files.map { Entry(path: $0.path, content: $0.text) }) {
            plan.files.map { file in
                "== \(file.path)\n" + (file.isShownWhole ? file.text ?? "" : "(\(file.content.count) bytes)\n")
            }.joined(separator: "\n")
        }
    }
}

extension Browser: ExpressibleByArgument {}
