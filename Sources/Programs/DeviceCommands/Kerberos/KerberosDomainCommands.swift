import ArgumentParser
import CommandOutput
import Ground
import KerberosProfile
import SingleSignOn
import SingleSignOnClient
import SingleSignOnWire

struct KerberosSiteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "site",
        abstract: "Look for the site of this computer in Active Directory, and for the domain's servers.",
        discussion: """
            The extension does this by itself before it signs in, at most once an hour. This looks again at once, such as after \
            the domain's sites have changed. Exit code 1 if no server is found, or none is looked for; it is said why.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var realm: RealmArgument

    private struct Report: Encodable {
        let realm: String
        /// nil if no domain controller has named one.
        let site: String?
        /// In the notation of `preferredKDCs`, the best one first.
        let servers: [String]
    }

    func run() async throws {
        try await reportingSingleSignOn {
            let realm = try await realm.realm()
            let headers = try await realm.outcome("site", isSilent: true).response?.headers ?? []
            func text(_ name: String) -> String? { headers.values(of: "X-SSO-Kerberos-\(name)").first }
            let report = Report(
                realm: realm.name, site: text("Site"),
                servers: text("Found-Servers")?.split(separator: " ").map(String.init) ?? [])
            try output.print(report) {
                Table.fields([
                    ("realm", report.realm), ("site", report.site ?? "none: no domain controller has named one"),
                    ("servers", report.servers.joined(separator: " ")),
                ])
            }
        }
    }
}

struct KerberosResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Forget what was found out about a realm, so that it is found out anew. Tickets and passwords stay.",
        discussion: """
            That is: the servers and the site, what the directory says of you, and that no server answered a moment ago. To sign \
            out as well, use `sign-out`.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var realm: RealmArgument

    @Flag(help: "All realms of the profiles.")
    var all = false

    func validate() throws {
        if all, realm.name != nil { throw ValidationError("--all is for all realms: leave the realm out.") }
    }

    func run() async throws {
        try await reportingSingleSignOn {
            var realms: [KerberosRealm] = []
            if all {
                realms = try await RealmArgument.all()
            } else {
                realms = [try await realm.realm()]
            }
            for realm in realms { _ = try await realm.outcome("reset", isSilent: true) }
            try output.print(realms.map { KerberosDone($0) }) {
                realms.map { "What was found out about \($0.name) is forgotten. Tickets and passwords stay." }
                    .joined(separator: "\n")
            }
        }
    }
}

struct KerberosSettingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Show what the profile says about a realm, and what counts where it says nothing.",
        discussion: "It reads the installed profiles, and needs no broker.")

    @OptionGroup var output: OutputOptions
    @OptionGroup var realm: RealmArgument

    func run() async throws {
        try await reportingSingleSignOn {
            let report = KerberosSettingsReport(try await realm.realm())
            try output.print(report) { report.text }
        }
    }
}

/// Every key of a payload for a realm, with the value that counts.
struct KerberosSettingsReport: Encodable {
    struct Setting: Encodable {
        let key: String
        /// nil where neither the profile nor a default says anything.
        let value: PropertyListValue?
        /// Whether the profile has the key.
        let isInProfile: Bool
        /// What is to be said about the key, such as that it does nothing on Linux.
        let notes: [String]
    }

    let realm: String
    /// The identifier of the profile.
    let profile: String
    let hosts: [String]
    let settings: [Setting]
    /// What is to be said about keys that nobody knows.
    let notes: [String]

    init(_ realm: KerberosRealm) {
        self.realm = realm.name
        profile = realm.profile
        hosts = realm.payload.hosts.map(\.canonical)
        let read = realm.settings
        var findings = read.findings.filter(\.isInData)
        func takeNotes(where isMeant: (KerberosFinding) -> Bool) -> [String] {
            defer { findings.removeAll(where: isMeant) }
            return findings.filter(isMeant).map { finding in
                ["\(finding.key) \(finding.problem)", finding.remedy].compactMap(\.self).joined(separator: " ")
                    .printable()
            }
        }
        settings = KerberosKey.all.map { key in
            Setting(
                key: key.name, value: key.value(in: read), isInProfile: realm.payload.extensionData[key.name] != nil,
                notes: takeNotes { $0.key.isAbout(key.name) })
        }
        notes = takeNotes { _ in true }
    }

    var text: String {
        let head = Table.fields([("realm", realm), ("profile", profile), ("hosts", hosts.joined(separator: " "))])
        let table = Table.text(
            ["KEY", "VALUE", "FROM"],
            settings.map { setting in
                let source = setting.isInProfile ? "the profile" : setting.value == nil ? "" : "the default"
                return [setting.key, setting.value?.inOneLine ?? "", source]
            },
            notes: settings.map { $0.notes.isEmpty ? nil : $0.notes.joined(separator: " ") })
        return ([head, table] + (notes.isEmpty ? [] : [notes.joined(separator: "\n")])).joined(separator: "\n\n")
    }
}

extension PropertyListValue {
    fileprivate var inOneLine: String {
        switch self {
        case .string(let text): text.printable()
        case .boolean(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .date(let date): date.minuteText
        case .data(let data): "\(data.count) bytes"
        case .array(let values): values.map(\.inOneLine).joined(separator: ", ")
        case .dictionary(let entries):
            entries.sorted { $0.key < $1.key }.map { "\($0.key.printable()): \($0.value.inOneLine)" }.joined(
                separator: "; ")
        }
    }
}

extension String {
    /// Whether the key of a finding is this one or stands below it, as `preferredKDCs[1]` does.
    fileprivate func isAbout(_ key: String) -> Bool {
        self == key || hasPrefix("\(key)[") || hasPrefix("\(key).")
    }
}
