import CommandOutput
import SingleSignOn
import SingleSignOnClient
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// Whether the person's broker answers, and what it says of extensions and domains.
struct BrokerExamination {
    let client: BrokerClient
    let installed: InstalledProfiles
    let environment: [String: String]

    func findings() async -> [DoctorFinding] {
        if let problem = socketProblem() { return [problem] }
        let status: BrokerStatus
        do {
            status = try await client.status()
        } catch {
            let remedy =
                (error as? BrokerUnavailable)?.remedy
                ?? "Start the broker anew: `systemctl --user restart lanyard-broker.service`."
            return [.problem("broker", "\(error)", remedy: remedy)]
        }
        return [
            .ok("socket", "\(client.socketPath) is open to this user alone."),
            .ok("broker", "Process \(status.processIdentifier) answers."),
        ] + extensions(status) + (await domains())
    }

    private func socketProblem() -> DoctorFinding? {
        let path = client.socketPath
        var information = stat()
        guard lstat(path, &information) == 0 else {
            if geteuid() == 0, environment[BrokerProtocol.socketVariable] == nil {
                return .warning(
                    "socket", "Root has no broker, so nothing is known of extensions and domains.",
                    remedy: "Run `lanyard-sso doctor` as the person who has the problem, without sudo.")
            }
            return .problem(
                "socket", "There is no socket \(path).",
                remedy: BrokerUnavailable(socketPath: path, reason: "").remedy
                    + " For everybody, from the next sign-in on: `sudo systemctl --global enable lanyard-broker.socket`."
            )
        }
        guard information.st_mode & S_IFMT == S_IFSOCK else {
            return .problem(
                "socket", "\(path) is no socket.", remedy: "Remove it, and sign in to the desktop anew.")
        }
        guard information.st_uid == geteuid() else {
            return .problem(
                "socket", "\(path) belongs to user \(information.st_uid), not to you.",
                remedy: "Run this as that person, or have root remove it, and sign in to the desktop anew.")
        }
        guard information.st_mode & 0o077 == 0 else {
            return .problem(
                "socket", "Other users can open \(path), and would be signed in as you.",
                remedy: "Run `chmod 600 \(path)`, and look who has changed it.")
        }
        return nil
    }

    // MARK: Extensions

    private func extensions(_ status: BrokerStatus) -> [DoctorFinding] {
        let counting = Set(installed.entries.map(\.source))
        let missing = status.profiles.filter { counting.contains($0.source) }.compactMap { profile in
            profile.problem.map {
                DoctorFinding.problem(
                    "extension", "\(profile.source): \($0)",
                    remedy: "Install the package that has the extension, or have the profile name another one.")
            }
        }
        // Where it is why an extension is missing, it is told already.
        let others = (status.faultyManifests ?? []).filter { manifest in
            !missing.contains { $0.message.contains(manifest.source) }
        }
        let faulty = others.map {
            DoctorFinding.problem(
                "extension", "\($0.source) does not count. \($0.problem.withoutPath($0.source))",
                remedy: "Mend the file or its program, or install the package anew that it comes from.")
        }
        return missing + faulty + status.extensions.map(Self.finding)
    }

    private static func finding(of part: BrokerStatus.Extension) -> DoctorFinding {
        guard let failure = part.failureText else { return .ok("extension", "\(part.identifier): \(part.stateText).") }
        let message = "\(part.identifier): \(part.stateText). \(failure)"
        let remedy = "Look what it says: `journalctl --user --unit lanyard-broker`."
        return part.state == .backedOff
            ? .problem("extension", message, remedy: remedy) : .warning("extension", message, remedy: remedy)
    }

    // MARK: Domains

    private func domains() async -> [DoctorFinding] {
        do {
            return try await client.domains().map(Self.finding)
        } catch {
            return [.problem("domain", "\(error)", remedy: "Run `lanyard-sso doctor` again.")]
        }
    }

    private static func finding(of domain: BrokerDomain) -> DoctorFinding {
        let reason = domain.reason.map { " Why: \($0)." } ?? ""
        if domain.holds { return .ok("domain", "\(domain.host) has agreed to \(domain.extension).\(reason)") }
        let file = domain.associationFile ?? "its association file"
        return switch domain.state {
        case "denied":
            .problem(
                "domain", "\(domain.host) has not agreed to \(domain.extension), which is not asked for it.\(reason)",
                remedy: "Have \(file) name the extension's app; then run `lanyard-sso domains refresh`.")
        case "unclaimed":
            .problem(
                "domain", "Nothing claims \(domain.host) for \(domain.extension), which is not asked for it.\(reason)",
                remedy:
                    "Have the profile give the domain to the extension's app: `lanyard-sso profile build --app …` does."
            )
        case "unchecked":
            .warning(
                "domain", "\(domain.host) was not asked yet whether it agrees to \(domain.extension).",
                remedy: "Run `lanyard-sso domains refresh`.")
        default:
            .problem(
                "domain", "Whether \(domain.host) agrees to \(domain.extension) could not be found out.\(reason)",
                remedy: """
                    See that this computer gets \(file), with a certificate of a public authority; then run `lanyard-sso \
                    domains refresh`.
                    """)
        }
    }
}
