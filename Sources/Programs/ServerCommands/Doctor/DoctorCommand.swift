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

    func run() async throws {
        guard try global.remote == nil else { throw Failure.onlyHere }
        let report = DoctorReport(await Self.examine(global))
        try output.print(report) { report.text }
        if !report.isWell { throw ExitCode.failure }
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
