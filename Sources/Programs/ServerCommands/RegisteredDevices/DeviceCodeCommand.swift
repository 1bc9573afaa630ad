import Administration
import ArgumentParser
import CommandOutput

struct DeviceCodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "code",
        abstract: "Give a person a code that registers one device; it is printed once.",
        discussion: """
            Whoever enters the code on a device can use the account there, without the password. A new code voids the one \
            before.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var owner: DeviceOwnerOption

    func validate() throws {
        if owner.user == nil { throw ValidationError("Say whose device it is, with --user.") }
    }

    func run() async throws {
        guard let person = owner.reference else { return }  // validate() requires it
        let result = try await Deployment.administrate(global) {
            try await $0.perform(IssueDeviceCode(person: person), in: owner.organization.reference).answer
        }
        try output.print(result) {
            """
            The code for a device of \(result.name), user name \(result.userName):

                \(result.code)

            It is shown this once, and good for one device until \(result.validUntil.minuteText) UTC. On the device,
            run this as the user whose it is, and not as root; it asks for the code:

                lanyard-sso pair
            """
        }
    }
}
