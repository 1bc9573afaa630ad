import ArgumentParser
import CommandOutput

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// The command line of a device, for everything about single sign-on.
package struct LanyardSSO: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "lanyard-sso",
        abstract: "Single sign-on on a device: profiles that say which extension answers for which URLs and hosts.",
        discussion: """
            Exit codes: 0 done, 1 failed, 2 defects in what was read, 64 wrong usage; 4 to 7 are those of commands that ask \
            an extension, and `request --help` lists them. Where the server's program is installed too, `lanyard sso` is \
            the same.
            """,
        version: Version.full,
        subcommands: [
            ProfileCommand.self, MatchCommand.self, PairCommand.self,
            RequestCommand.self, TokenCommand.self, HeaderCommand.self, CookiesCommand.self, CurlCommand.self,
            GitCredentialCommand.self,
            KerberosCommand.self, ExtensionCommand.self, LogCommand.self, StatusCommand.self, DomainsCommand.self,
            DoctorCommand.self, NativeHostCommand.self, BrowserPolicyCommand.self,
            FetchAssociationFileCommand.self,
        ])

    package init() {}

    package static func main() async {
        // Files that it writes, such as tokens and keys, are readable only for their owner.
        umask(0o077)
        await main(nil)
    }
}

struct ProfileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "Write, check and install profiles.",
        subcommands: [
            ProfileBuildCommand.self, ProfileValidateCommand.self, ProfileInstallCommand.self, ProfileListCommand.self,
            ProfileRemoveCommand.self,
        ])
}
