import ArgumentParser
import CommandOutput
import SingleSignOn

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct ProfileListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show the profiles that are installed, and files that do not count, with the reason.",
        discussion: """
            They are those of your broker; where none answers, and with options that name places, they are looked up in \
            the folders. Of two that claim the same the first has it. The times are in UTC.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var places: ProfileStoreOptions

    private struct Report: Encodable {
        struct Faulty: Encodable {
            let identifier: String?
            let store: String
            let file: String
            let problem: String
        }
        let profiles: [InstalledProfileReport]
        let faulty: [Faulty]
        /// The socket of the broker that uses these profiles.
        let broker: String?
    }

    func run() async throws {
        let inUse = await ProfilesInUse(places)
        let installed = inUse.store.load()
        let report = Report(
            profiles: installed.entries.map(InstalledProfileReport.init),
            faulty: installed.faulty.map {
                .init(identifier: $0.identifier, store: $0.kind.rawValue, file: $0.source, problem: $0.problem)
            },
            broker: inUse.broker)
        try output.print(report) {
            var parts: [String] = []
            if !installed.entries.isEmpty {
                let rows = installed.entries.map {
                    [
                        $0.profile.identifier, $0.kind.rawValue, $0.installedAt.minuteText, $0.signer ?? "",
                        $0.profile.displayName ?? "",
                    ]
                }
                parts.append(
                    Table.text(
                        ["IDENTIFIER", "STORE", "INSTALLED", "SIGNED BY", "NAME"], rows,
                        notes: report.profiles.map(\.problem)))
            }
            if !installed.faulty.isEmpty {
                let lines = installed.faulty.map { faulty in
                    let name = faulty.identifier.map { " (\($0))" } ?? ""
                    return "  \(faulty.source)\(name): \(faulty.problem)"
                }
                parts.append((["These do not count:"] + lines).joined(separator: "\n"))
            }
            if parts.isEmpty { parts.append("No profile is installed.") }
            if let place = inUse.place { parts.append(place) }
            return parts.joined(separator: "\n\n")
        }
    }
}

/// An installed profile in the JSON output.
struct InstalledProfileReport: Encodable {
    private static func unreadable(_ file: String) -> String {
        """
        Only root counts it: the brokers of users cannot read \(file). Give it to them with \
        chmod go+r, and its folders with chmod go+x, or install it with `lanyard-sso profile install`.
        """
    }

    let identifier: String
    let name: String?
    let organization: String?
    let store: String
    let file: String
    let installedAt: Date
    let signer: String?
    let matches: [String]
    /// Set if only root can read the file, so that the profile does not apply to other users.
    let problem: String?

    init(_ entry: InstalledProfiles.Entry) {
        identifier = entry.profile.identifier
        name = entry.profile.displayName
        organization = entry.profile.organization
        store = entry.kind.rawValue
        file = entry.source
        installedAt = entry.installedAt
        signer = entry.signer
        matches = entry.profile.payloads.flatMap { $0.urls.map(\.canonical) + $0.hosts.map(\.canonical) }
        problem = entry.isReadableByUsers ? nil : Self.unreadable(entry.source)
    }
}
