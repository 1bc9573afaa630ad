import ArgumentParser
import CommandOutput
import Ground
import KerberosProfile
import SingleSignOn
import SingleSignOnClient
import SingleSignOnWire

/// A realm of an installed profile.
struct KerberosRealm {
    let name: String
    /// The identifier of the profile.
    let profile: String
    let payload: SingleSignOnPayload

    var settings: KerberosSettings { KerberosSettings(realm: name, extensionData: payload.extensionData) }

    static func installed(in profiles: InstalledProfiles) -> [KerberosRealm] {
        profiles.entries.flatMap { entry in
            entry.profile.payloads.compactMap { payload in
                guard payload.isKerberos, let realm = payload.realm else { return nil }
                return KerberosRealm(name: realm, profile: entry.profile.identifier, payload: payload)
            }
        }
    }

    /// Has the extension do something in the realm.
    /// - Throws: ``SingleSignOnFailure`` unless it succeeds; `BrokerProblem`.
    func outcome(
        _ operation: String, options: [HeaderField] = [], isSilent: Bool
    ) async throws -> BrokerOutcome {
        let ask = try AskOptions.parse(isSilent ? ["--no-ui"] : [])
        var request = ask.request("\(SingleSignOnURL.realmScheme):\(name)", operation: operation)
        request.options = options
        let outcome = try await SignOn(options: ask).outcome(of: request)
        guard outcome.isSuccess else { throw SingleSignOnFailure(outcome) }
        return outcome
    }

    /// The same for operations that tell who is signed in.
    func ask(_ operation: String, options: [HeaderField] = [], isSilent: Bool) async throws -> KerberosState {
        let outcome = try await outcome(operation, options: options, isSilent: isSilent)
        return KerberosState(of: self, headers: outcome.response?.headers ?? [])
    }
}

/// The realm that a command is about.
struct RealmArgument: ParsableArguments {
    @Argument(help: "The realm, such as CORP.ACME.TEST. Left out, the one that the profiles have.")
    var name: String?

    /// - Throws: ``SingleSignOnFailure`` if no installed profile is for the realm, or several realms could be meant.
    func realm() async throws -> KerberosRealm {
        let inUse = await ProfilesInUse(try ProfileStoreOptions.parse([]))
        return try Self.choose(name, from: KerberosRealm.installed(in: inUse.store.load()))
    }

    /// - Throws: ``SingleSignOnFailure`` if no installed profile is for a realm.
    static func all() async throws -> [KerberosRealm] {
        let realms = KerberosRealm.installed(in: await ProfilesInUse(try ProfileStoreOptions.parse([])).store.load())
        if realms.isEmpty { _ = try choose(nil, from: []) }
        return realms
    }

    static func choose(_ name: String?, from realms: [KerberosRealm]) throws -> KerberosRealm {
        let names = realms.map(\.name).joined(separator: ", ")
        guard let name else {
            // A default realm is the one that programs take that ask for none.
            let main = realms.count == 1 ? realms.first : realms.first { $0.settings.isDefaultRealm }
            if let main { return main }
            throw SingleSignOnFailure(
                realms.isEmpty ? .notCovered : .failure,
                realms.isEmpty
                    ? "No installed profile is for a realm of Kerberos. `lanyard-sso profile list` shows what is installed."
                    : "Name one of the realms \(names).")
        }
        if let realm = realms.first(where: { $0.name == name }) { return realm }
        let near = realms.first { $0.name.lowercased() == name.lowercased() }
        let remedy =
            near.map { "Realms have capitals of their own: write \($0.name)." }
            ?? (realms.isEmpty ? "No profile for Kerberos is installed." : "There is: \(names).")
        throw SingleSignOnFailure(.notCovered, "No installed profile is for the realm “\(name.printable())”. \(remedy)")
    }
}

struct KerberosListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the realms that the profiles of this device have.",
        discussion: "The default realm is the one that programs take that ask for none.")

    @OptionGroup var output: OutputOptions
    @OptionGroup var places: ProfileStoreOptions

    private struct Report: Encodable {
        let realm: String
        let profile: String
        let hosts: [String]
        let isDefault: Bool
        /// In the notation of `preferredKDCs`.
        let servers: [String]
    }

    func run() async throws {
        let inUse = await ProfilesInUse(places)
        let reports = KerberosRealm.installed(in: inUse.store.load()).map {
            Report(
                realm: $0.name, profile: $0.profile, hosts: $0.payload.hosts.map(\.canonical),
                isDefault: $0.settings.isDefaultRealm, servers: $0.settings.preferredKDCs.map(\.description))
        }
        try output.print(reports) {
            guard !reports.isEmpty else {
                return ["No installed profile is for a realm of Kerberos.", inUse.place].compactMap(\.self)
                    .joined(separator: "\n\n")
            }
            return Table.text(
                ["REALM", "DEFAULT", "PROFILE", "HOSTS"],
                reports.map { [$0.realm, $0.isDefault ? "yes" : "", $0.profile, $0.hosts.joined(separator: " ")] })
        }
    }
}
