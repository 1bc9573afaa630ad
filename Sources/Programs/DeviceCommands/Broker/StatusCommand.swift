import ArgumentParser
import CommandOutput
import Ground
import SingleSignOnClient
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show which profiles count, what they cover and which extensions there are.",
        discussion: "Exit code 6 if there is no broker.")

    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await reportingSingleSignOn {
            let broker = BrokerClient()
            let status = try await broker.status()
            try output.print(status) {
                var parts = [
                    Table.fields([
                        ("broker", "process \(status.processIdentifier), version \(status.version)"),
                        ("socket", broker.socketPath),
                    ])
                ]
                if status.profiles.isEmpty {
                    parts.append("No profile is installed.")
                } else {
                    parts.append(
                        Table.text(
                            ["PROFILE", "NAME", "STORE", "FILE"],
                            status.profiles.map {
                                [$0.identifier ?? "–", $0.name ?? "–", $0.store, $0.source]
                            },
                            notes: status.profiles.map(\.noteText)))
                }
                if !status.urls.isEmpty {
                    parts.append("Covered now:\n" + status.urls.map { "  \($0)" }.joined(separator: "\n"))
                }
                for (hosts, why) in [
                    (status.hostsNotAgreed, "these have not agreed"),
                    (status.hostsNotAsked, "no domain is asked about these"),
                ] {
                    guard let hosts, !hosts.isEmpty else { continue }
                    parts.append(
                        "Not covered now, because \(why) (see `lanyard-sso domains`):\n"
                            + hosts.map { "  \($0)" }.joined(separator: "\n"))
                }
                if !status.extensions.isEmpty {
                    parts.append(
                        Table.text(
                            ["EXTENSION", "STATE"], status.extensions.map { [$0.identifier, $0.stateText] },
                            notes: status.extensions.map(\.failureText)))
                }
                if let faulty = status.faultyManifestsText { parts.append(faulty) }
                return parts.joined(separator: "\n\n")
            }
        }
    }
}

extension BrokerStatus {
    /// nil if all manifests are valid.
    var faultyManifestsText: String? {
        guard let faultyManifests, !faultyManifests.isEmpty else { return nil }
        let lines = faultyManifests.map { "  \($0.source)\n    \($0.problem.withoutPath($0.source))" }
        return (["These manifests of extensions do not count:"] + lines).joined(separator: "\n")
    }
}

extension BrokerStatus.InstalledProfile {
    /// Why it does not count, and what in it has no effect; nil if neither.
    fileprivate var noteText: String? {
        let lines = [problem?.withoutPath(source)].compactMap(\.self) + (notes ?? [])
        return lines.isEmpty ? nil : lines.joined(separator: "\n  ")
    }
}

extension BrokerStatus.Extension {
    /// The state in words. Stopped is normal, because extensions start when they are needed.
    var stateText: String {
        switch state {
        case .running: "running"
        case .stopped: "not running (starts when asked)"
        case .backedOff: "not running" + (startsAgainAt.map { "; starts again in \($0.secondsFromNow) s" } ?? "")
        case .waitsForDebugger: "not running; the next start waits for a debugger"
        }
    }

    /// nil if its last start or request did not fail.
    var failureText: String? {
        lastFailure.map {
            "It failed at \($0.at.formatted(.iso8601))\($0.inARow > 1 ? ", \($0.inARow) times in a row" : ""): \($0.reason)"
        }
    }
}

extension Date {
    fileprivate var secondsFromNow: Int {
        max(1, Int(timeIntervalSince(Surroundings.system.now()).rounded(.up)))
    }
}

extension String {
    /// A sentence about a file with "It" in place of the path, for use where the file was just named.
    func withoutPath(_ path: String) -> String { hasPrefix("\(path) ") ? "It" + dropFirst(path.count) : self }
}
