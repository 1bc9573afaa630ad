import CLinux
import CommandOutput
import Foundation
import Ground
import ServerHTTP

/// Checks what is around the server, which is not the server's own: its name, what answers at its address, its mail server, and the
/// clock.
struct NetworkExamination {
    let settings: Settings
    let now: Date

    func findings() async -> [Finding] {
        // Settings that cannot be are another check's.
        guard let server = try? await settings.server() else { return [] }
        var findings = await AddressExamination(
            baseURL: server.baseURL, now: now, nameServers: server.nameServers
        ).findings()
        if let mail = await MailExamination(server: server).reach() { findings.append(mail) }
        findings.append(Self.clock(isKept: lanyard_clock_is_kept()))
        return findings
    }

    /// - Parameter isKept: 1 or 0; -1 if the kernel does not tell.
    static func clock(isKept: Int32) -> Finding {
        let check = "time"
        return switch isKept {
        case 1: .ok(check, "A program keeps the clock right.")
        case 0:
            .warning(
                check, "No program keeps the clock right. Codes, tokens and tickets are valid for minutes only.",
                remedy:
                    "Run `apt install systemd-timesyncd`, or another client of NTP; `timedatectl` shows when it works.")
        default: .ok(check, "Whether a program keeps the clock right is not told here, as in a container.")
        }
    }
}
