import ArgumentParser
import Authorization
import CommandOutput
import Directory
import Foundation
import Ground
import ServerHTTP
import Storage

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look for what is wrong, and say what to do about it. Changes nothing.",
        discussion: "Exit code 1 if something is wrong; warnings alone are 0.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    private struct Result: Encodable {
        let isWell: Bool
        let findings: [Finding]
    }

    func run() async throws {
        guard try global.remote == nil else { throw Failure.onlyHere }
        let findings = await Self.examine(global)
        let problems = findings.count { $0.status == .problem }
        let warnings = findings.count { $0.status == .warning }
        try output.print(Result(isWell: problems == 0, findings: findings)) {
            """
            \(Table.text(["", "CHECK", "FINDING"], findings.flatMap(\.rows)))

            \(problems + warnings == 0 ? "All is well." : "Problems: \(problems). Warnings: \(warnings).")
            """
        }
        if problems > 0 { throw ExitCode.failure }
    }

    private static func examine(_ global: GlobalOptions) async -> [Finding] {
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
        findings += ProfileSigningExamination(settings: settings, now: surroundings.now()).findings()
        findings += FileExamination(settings: settings).findings()
        let masterKey = FileExamination(settings: settings).masterKey(surroundings: surroundings)
        if let finding = masterKey.finding { findings.append(finding) }
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
