import ArgumentParser
import CommandOutput
import Directory
import Foundation
import Storage

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

    private struct Result: Encodable {
        let name: String
        let userName: String
        let code: String
        let validUntil: Date
    }

    func run() async throws {
        guard let selector = owner.selector else { return }  // validate() requires it
        let result = try await Deployment.withExisting(global) { deployment, _ in
            let person = try await deployment.database.read { try selector.findToChange(in: $0) }
            do {
                let code = try await DeviceRegistrar(
                    database: deployment.database, surroundings: deployment.surroundings
                ).issueCode(for: person.id, by: .operator, origin: .commandLine)
                return Result(
                    name: person.fullName, userName: person.userName, code: code.text, validUntil: code.expiresAt)
            } catch let refusal as DeviceRefusal {
                throw Failure(Self.text(of: refusal, person))
            }
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

    private static func text(of refusal: DeviceRefusal, _ person: Person) -> String {
        switch refusal {
        case .notManaged: "\(person.fullName) has a personal account; devices sign in to managed accounts only."
        case .accountDeactivated:
            """
            \(person.fullName) is deactivated and could not sign in. Run `lanyard person reactivate \(person.userName)` \
            first.
            """
        case .tooManyDevices:
            """
            \(person.fullName) has \(RegisteredDevice.perPersonMax) devices, and no more are possible. `lanyard device \
            list --user \(person.userName)` shows them; remove one with `lanyard device remove`.
            """
        default: refusal.description
        }
    }
}
