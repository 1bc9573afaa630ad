import ArgumentParser
import CommandOutput
import SingleSignOn

struct ProfileRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a profile.",
        discussion: "Its extension is no longer asked. What the extension has saved stays.")

    @OptionGroup var output: OutputOptions
    @OptionGroup var places: ProfileStoreOptions
    @OptionGroup var kind: ProfileKindOption

    @Argument(help: "The profile's identifier, as profile list shows it.")
    var identifier: String

    private struct Report: Encodable {
        let identifier: String
        let store: String
        let removed: [String]
    }

    func run() throws {
        let removed: [String]
        do throws(ProfileStore.InstallationError) {
            removed = try places.store.remove(identifier: identifier, from: kind.kind)
        } catch {
            throw Failure(error.description + hint(error))
        }
        try output.print(Report(identifier: identifier, store: kind.kind.rawValue, removed: removed)) {
            removed.map { "Removed “\(identifier)”: \($0)" }.joined(separator: "\n")
        }
    }

    private func hint(_ error: ProfileStore.InstallationError) -> String {
        guard case .unknownIdentifier = error,
            let other = places.store.load().entries.first(where: { $0.profile.identifier == identifier })
        else { return "" }
        switch other.kind {
        case .user: return " There is one among your own: add --user."
        case .device: return " The device has one: leave --user out."
        }
    }
}
