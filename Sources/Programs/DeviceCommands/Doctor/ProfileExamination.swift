import CommandOutput
import SingleSignOn

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Whether there are profiles, which of them count, and who has signed them.
struct ProfileExamination {
    let store: ProfileStore
    let installed: InstalledProfiles

    func findings() -> [DoctorFinding] {
        let places = store.locations
        let policy: ProfilePolicy
        do {
            policy = try ProfilePolicy(at: places.policy)
        } catch {
            return [.problem("policy", "\(error)", remedy: "Mend \(places.policy): until then no profile counts.")]
        }
        var findings = installed.faulty.map { finding(of: $0, policy) }
        if installed.entries.isEmpty, findings.isEmpty {
            findings.append(
                .problem(
                    "profile", "No profile is installed, so nothing is covered.",
                    remedy: """
                        Have root put the organization's profile into \(places.dropIns ?? places.device), as a file whose name ends \
                        in \(ProfileStore.fileExtension).
                        """))
        }
        for entry in installed.entries { findings += self.findings(of: entry, policy) }
        if !installed.entries.isEmpty, !policy.requiresSignature {
            findings.append(.ok("signature", "The policy of this computer asks for no signatures."))
        }
        return findings
    }

    private func findings(of entry: InstalledProfiles.Entry, _ policy: ProfilePolicy) -> [DoctorFinding] {
        let name = "“\(entry.profile.identifier)”"
        guard entry.isReadableByUsers else {
            return [
                .problem(
                    "profile", "Only root can read \(entry.source), so \(name) does not count for anybody else.",
                    remedy: "Run `chmod a+r \(entry.source)`, and `chmod a+x` for the folders above it.")
            ]
        }
        let signature = entry.signer.map { DoctorFinding.ok("signature", "\(name) is signed by “\($0)”.") }
        return [.ok("profile", "\(name) counts: \(entry.source)")] + [signature].compactMap(\.self)
    }

    private func finding(of faulty: InstalledProfiles.Faulty, _ policy: ProfilePolicy) -> DoctorFinding {
        let message = "\(faulty.source) does not count. \(faulty.problem.withoutPath(faulty.source))"
        if faulty.kind == .user, faulty.source == store.locations.user {
            return .warning(
                "profile", message,
                remedy: "Take them away, or have the administrator allow them in \(store.locations.policy).")
        }
        if lacksSignature(faulty.source, policy) {
            return .problem(
                "signature", message,
                remedy: """
                    Put a copy in its place that is signed with one of the certificates that \(store.locations.policy) names.
                    """)
        }
        guard faulty.source.hasSuffix(ProfileStore.fileExtension) else {
            return .problem("profile", message, remedy: "Until then nothing in this folder counts.")
        }
        return .problem(
            "profile", message,
            remedy: """
                Mend the file or remove it; `lanyard-sso profile validate \(faulty.source)` names what is wrong inside it. Other \
                files count meanwhile.
                """)
    }

    /// Whether the profile would be valid if the policy did not ask for a signature.
    private func lacksSignature(_ path: String, _ policy: ProfilePolicy) -> Bool {
        guard policy.requiresSignature, path.hasSuffix(ProfileStore.fileExtension),
            let data = try? ProfileFile.data(path)
        else { return false }
        return ProfileReading(data, signers: policy.signers).profile != nil
            && ProfileReading(data, signers: policy.signers, requiresSignature: true).profile == nil
    }
}
