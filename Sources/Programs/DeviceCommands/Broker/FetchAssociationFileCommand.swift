import ArgumentParser
import AssociationFiles
import CommandOutput
import SingleSignOn
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// `lanyard-sso fetch-association-file`: the process in which the broker fetches the file of one domain.
struct FetchAssociationFileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch-association-file",
        abstract:
            "Fetch the association file of a domain, and write what it says as JSON. The broker starts this, not people.",
        shouldDisplay: false)

    @Argument(help: "An associated domain, such as authsrv:id.acme.test.")
    var entry: String

    @Option(help: "A file of authorities (PEM) that count besides the public ones.", completion: .file())
    var extraRoots: String?

    @Option(name: .customLong("domain-address"), help: "name=address, where a domain is, instead of where DNS says.")
    var addresses: [String] = []

    @Option(help: "The port to ask at, instead of 443.")
    var domainPort: Int?

    @Flag(help: "Heed ?mode=developer: no certificate is asked for then.")
    var developerMode = false

    func run() async throws {
        // Ends the process after 20 seconds even if something blocks it, for example the resolver.
        alarm(20)
        guard let domain = try? AssociatedDomain(entry) else {
            throw ValidationError("\(entry) is no associated domain.")
        }
        let rules = try AssociationRules(
            extraRoots: extraRoots, addresses: addresses, port: domainPort, heedsDeveloperMode: developerMode)
        let answer = try await AssociationAnswer(AssociationFileFetcher(rules).fetch(domain))
        guard writeAll(try JSONEncoder().encode(answer), to: STDOUT_FILENO) else { throw ExitCode.failure }
    }
}
