import ArgumentParser
import Authorization
import CommandOutput
import Directory
import Foundation
import Ground
import Mail
import ServerHTTP
import Storage

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look for what is wrong, and say what to do about it. Changes nothing.",
        discussion: """
            Exit code 1 if something is wrong; warnings alone are 0.

            With --network it also looks at what is around the server: whether its name leads to this machine, the certificate at its \
            address, the mail server, to which it sends nothing, and whether a program keeps the clock right.

            For example:
              lanyard doctor --network
              lanyard doctor --mail
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "If something is wrong, also mail it to the address of the setting mail.operator.")
    var mail = false

    @Flag(help: "Also look at name, certificate, mail server and clock.")
    var network = false

    func run() async throws {
        guard try global.remote == nil else { throw Failure.onlyHere }
        let findings = await Self.examine(global, network: network)
        let report = DoctorReport(findings)
        try output.print(report) { report.text }
        guard !report.isWell else { return }
        if mail { try await tellOperator(findings) }
        throw ExitCode.failure
    }

    /// Mails problems and warnings, if the settings say to whom and how.
    /// - Throws: ``Failure`` if the mail cannot be sent.
    private func tellOperator(_ findings: [Finding]) async throws {
        let settings = try await Settings(global)
        guard let configuration = try settings.mail(), let recipient = try settings.operatorAddress() else { return }
        let baseURL = try await settings.server().baseURL
        let open = findings.filter { $0.status != .ok }
        let list = open.map { finding in
            "\(finding.status.rawValue), \(finding.check): \(finding.message)"
                + (finding.remedy.map { "\n  → \($0)" } ?? "")
        }
        .joined(separator: "\n\n").printable(keepsLines: true)
        // The findings have the reader's words already.
        let doctor = "`lanyard doctor`".namingCommands()
        let message = try MailMessage(
            to: recipient, subject: "Lanyard at \(baseURL) needs you",
            text: """
                \(doctor) has found this on \(baseURL):

                \(list.prefix(32_000))

                You get this mail each day until it is mended, because the address is the setting mail.operator.
                """, language: "en")
        try await DirectMail(configuration: configuration).send(message)
    }

    private static func examine(_ global: GlobalOptions, network: Bool) async -> [Finding] {
        let settings: Settings
        do {
            settings = try await Settings(global)
        } catch {
            return [
                .problem("configuration", "The configuration cannot be read: \(error).", remedy: "Correct the file.")
            ]
        }
        let surroundings = Surroundings.system
        var findings = await SettingsExamination(settings: settings).findings()
        if network { findings += await NetworkExamination(settings: settings, now: surroundings.now()).findings() }
        findings += ProfileSigningExamination(settings: settings, now: surroundings.now()).findings()
        findings += FileExamination(settings: settings).findings()
        let masterKey = FileExamination(settings: settings).masterKey(surroundings: surroundings)
        if let finding = masterKey.finding { findings.append(finding) }
        findings += BackupExamination(settings: settings, masterKey: masterKey.key, now: surroundings.now()).findings()
        let database = await DatabaseExamination.open(settings)
        findings += database.findings
        guard let opened = database.database else { return findings }
        let configuration = try? await settings.server()
        findings += await ContentExamination(
            now: surroundings.now(), masterKey: masterKey.key, baseURL: configuration?.baseURL ?? "",
            sendsMail: configuration?.mail != nil
        ).findings(in: opened)
        await opened.close()
        return findings
    }
}
