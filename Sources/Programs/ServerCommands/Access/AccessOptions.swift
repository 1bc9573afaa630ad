import Administration
import ArgumentParser
import Authorization
import CommandOutput

/// What commands about one of an organization's rules about apps have in common.
struct AccessOptions: ParsableArguments {
    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption
    @OptionGroup var purpose: AccessPurposeOption

    /// Carries out a change. What it ends is shown before, and wants confirmation.
    /// - Parameter confirmation: nil for a change that ends nothing.
    func perform<C: Change>(_ change: C, _ confirmation: ConfirmationOptions? = nil) async throws
    where C.Answer == AccessRecord {
        if let confirmation, confirmation.dryRun || !confirmation.yes {
            let preview = try await Deployment.administrate(global) {
                try await $0.preview(change, in: organization.reference, ifVersion: nil)
            }
            let losses = Self.losses(preview.effects)
            if confirmation.dryRun {
                return try output.print(preview) {
                    losses.isEmpty
                        ? "Nothing was changed, as you asked. Nothing would end."
                        : "Nothing was changed, as you asked. This would end:\n\n"
                            + losses.map { "  \($0)" }.joined(separator: "\n")
                }
            }
            try confirmation.confirm(losses)
        }
        let done = try await Deployment.administrate(global) {
            try await $0.perform(change, in: organization.reference)
        }
        try output.print(done.answer) {
            ([done.answer.text] + Self.losses(done.effects)).joined(separator: "\n")
        }
    }

    /// One sentence for each app and each thing that it loses.
    private static func losses(_ effects: [Effect]) -> [String] {
        effects.filter { $0.subject.hasPrefix("app:") }.map { "\($0.name): \($0.detail)." }
    }
}

/// `--for`, which selects one of the two rules.
struct AccessPurposeOption: ParsableArguments {
    // No default value: the help would print it in the spelling of the database.
    @Option(
        name: .customLong("for"), help: ArgumentHelp("Which rule; data-sharing if it is left out.", valueName: "rule"))
    var rule: AccessRule.Purpose?

    var value: AccessRule.Purpose { rule ?? .dataSharing }
}
