import CommandOutput
import Foundation
import Ground
import SingleSignOn

/// Checks the key with which profiles for devices are signed.
struct ProfileSigningExamination {
    let settings: Settings
    let now: Date

    /// How long before its end a certificate is spoken of: devices need profiles that a new one has signed by then.
    private static let notice = 30 * 86_400.0

    func findings() -> [Finding] {
        let check = "signing of profiles"
        do {
            guard let signer = try settings.profileSigner(at: now) else { return [] }
            let end = signer.validUntil.formatted(Date.ISO8601FormatStyle().year().month().day())
            let words = "By \(signer.name.printable()), until \(end)."
            guard signer.validUntil.timeIntervalSince(now) < Self.notice else { return [.ok(check, words)] }
            return [
                .warning(
                    check, words,
                    remedy: "Put a new certificate in place, and install a profile that it has signed on each device.")
            ]
        } catch {
            return [
                .problem(check, "\(error)", remedy: "Correct the files, or leave the two settings out.")
            ]
        }
    }
}
