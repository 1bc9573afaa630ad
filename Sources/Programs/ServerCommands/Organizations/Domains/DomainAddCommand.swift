import Administration
import ArgumentParser
import CommandOutput

struct DomainAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a domain: verified, by whoever runs the server.",
        discussion: """
            Whoever runs the server vouches that the domain is the organization's. One that is added with --server counts \
            for nothing until a TXT record shows it: `lanyard org domain prove`.

            For example:
              lanyard org domain add students.maple.example
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The domain, such as maple.example.")
    var name: String

    func run() async throws {
        let change = AddDomain(domain: name, verified: try global.remote == nil ? true : nil)
        let domain = try await Deployment.administrate(global) {
            try await $0.perform(change, in: organization.reference).answer
        }
        try output.print(domain) { domain.text(afterIt: "Added") }
    }
}

struct DomainProveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prove", abstract: "Verify a domain by a TXT record in its zone.",
        discussion: """
            `lanyard org domain list` says which record. Whoever looks after the zone adds it; it can go as soon as the \
            domain is verified.

            For example:
              lanyard --server https://id.example.org org domain prove students.maple.example
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The domain.")
    var name: String

    func run() async throws {
        let domain = try await Deployment.administrate(global) {
            try await $0.perform(ProveDomain(domain: name), in: organization.reference).answer
        }
        try output.print(domain) { domain.text(afterIt: "Verified") }
    }
}

struct DomainVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Vouch that a domain is the organization's.",
        discussion: "Only on the server itself. From then on no other organization gives names in it.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The domain.")
    var name: String

    func run() async throws {
        let domain = try await Deployment.administrate(global) {
            try await $0.perform(VerifyDomain(domain: name), in: organization.reference).answer
        }
        try output.print(domain) { domain.text(afterIt: "Verified") }
    }
}

extension DomainRecord {
    fileprivate func text(afterIt was: String) -> String {
        let done =
            verifiedAt == nil
            ? "\(was) \(name). `lanyard org domain list` says how to show that it is yours." : "\(was) \(name)."
        guard let personalAccounts, personalAccounts > 0 else { return done }
        return """
            \(done) Personal accounts with an address of this domain: \(personalAccounts). They stay their owners'; \
            `lanyard person list --personal --text @\(name)` shows them.
            """
    }
}
