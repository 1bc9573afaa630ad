import Administration
import CommandOutput

extension ConfirmationOptions {
    /// Carries out a change after its preview was shown and confirmed.
    /// - Returns: nil for `--dry-run`, which prints the preview.
    /// - Throws: ``Failure`` if it is not confirmed
    func perform<C: Change>(
        _ change: C, in organization: OrganizationReference, _ global: GlobalOptions, _ output: OutputOptions
    ) async throws -> C.Answer? {
        var version: String?
        if dryRun || !yes || C.needsVersion {
            let preview = try await Deployment.administrate(global) {
                try await $0.preview(change, in: organization, ifVersion: nil)
            }
            if dryRun {
                try output.print(preview) {
                    (["This would be changed:", ""] + preview.sentences.map { "  \($0)" }).joined(separator: "\n")
                }
                return nil
            }
            try confirm(preview.sentences)
            // What was shown is done, or nothing.
            version = preview.version
        }
        return try await Deployment.administrate(global) { [version] in
            try await $0.perform(change, in: organization, ifVersion: version).answer
        }
    }
}

extension Preview {
    /// How many sentences are shown; the JSON has more.
    private static let shownMax = 50

    var sentences: [String] {
        let shown = effects.prefix(Self.shownMax).map { "\($0.name): \($0.detail.isEmpty ? $0.action : $0.detail)" }
        let total = counts.values.reduce(0, +)
        return shown + (total > shown.count ? ["… and \(total - shown.count) more"] : [])
    }
}
