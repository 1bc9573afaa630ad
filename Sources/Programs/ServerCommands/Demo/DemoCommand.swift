import Administration
import ArgumentParser
import CommandOutput
import Directory
import Foundation
import HiddenMail
import Logging
import Mail
import ServerHTTP
import ServiceLifecycle
import Storage

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Run a server with a made-up school district, and Quizzler, an app of another company.",
        discussion: "Everything is kept in one folder; a second start finds it again. Delete the folder to begin anew.")

    @Option(help: "The folder of the demo.", completion: .directory)
    var folder = ".demo"

    @Option(help: "The port of the server; another one is taken if it is in use.")
    var port = 8_080

    @Option(help: "The port of Quizzler; another one is taken if it is in use.")
    var quizzlerPort = 8_081

    @Option(help: "The Quizzler program. [default: beside this one]", completion: .file(extensions: []))
    var quizzler: String?

    @Flag(help: "Make no school of your own beside the district.")
    var noOwnSchool = false

    func run() async throws {
        let quizzlerPath = try quizzlerProgram()
        let lock = try DemoLock(folder: folder)
        defer { lock.release() }
        let program = try DemoScript.write(
            "lanyard", in: folder, "exec '\(try InstalledProgram.path(of: "lanyard"))' \"$@\"")
        let port = LoopbackPort.free(preferring: port)
        let quizzlerPort = LoopbackPort.free(preferring: quizzlerPort)
        var configuration = try ServerConfiguration(baseURL: "http://127.0.0.1:\(port)")
        configuration.port = port
        configuration.isDevelopment = true
        // Nobody but whoever runs the demo reaches it, and they try the developer portal too.
        configuration.teamsMadeBy = .anyone
        configuration.mail = MailConfiguration(
            sender: try Mailbox("Lanyard <lanyard@lanyard.internal>"), transport: .maildir("\(folder)/mail"))
        // Enables hidden email addresses. No mail server uses this relay, so mail to these addresses is not delivered.
        configuration.relay = try RelayConfiguration(domain: "relay.maple.example")

        var logger = Logger(label: "lanyard") { label in
            PrintableLogHandler(StreamLogHandler.standardError(label: label))
        }
        // At this level the reasons of refused requests are logged, which developers need.
        logger.logLevel = .notice

        let deployment = try await Deployment.open(
            databaseLocation: "\(folder)/lanyard.sqlite", masterKeyPath: "\(folder)/master.key")
        let stage: DemoStage
        let ownSchool: OwnSchool?
        do {
            stage = try await DemoStage.set(
                in: deployment, folder: folder, quizzlerURL: "http://127.0.0.1:\(quizzlerPort)")
            ownSchool =
                noOwnSchool
                ? nil
                : try await OwnSchool.set(in: deployment, folder: folder, baseURL: configuration.baseURL)
        } catch {
            await deployment.database.close()
            throw error
        }
        let file = DemoFile(
            stage, baseURL: configuration.baseURL, issuer: configuration.issuer,
            quizzlerURL: "http://127.0.0.1:\(quizzlerPort)", ownSchool: ownSchool)
        let registered = stage.quizzler
        let app = DemoProcess(
            "Quizzler", program: quizzlerPath,
            arguments: [
                "--port", "\(quizzlerPort)", "--data", "\(folder)/quizzler", "--server", configuration.baseURL,
                "--client-id", registered.clientID, "--team-id", registered.teamID, "--key-id", registered.keyID,
                "--key-file", registered.keyFile, "--public-url", "http://127.0.0.1:\(quizzlerPort)",
            ])
        app.begin()
        let folder = folder
        try await ServerProcess(configuration: configuration, deployment: deployment, logger: logger)
            .run(beside: [app]) { _ in
                do {
                    try await app.waitUntilReady {
                        await DemoProcess.answers("http://127.0.0.1:\(quizzlerPort)/healthz")
                    }
                    print(file.text(program: program, folder: folder))
                    fflush(nil)  // otherwise a pipe would buffer the lines
                    // Written last, so that a script that waits for the file can start at once.
                    try file.write(to: "\(folder)/demo.json")
                } catch {
                    FileHandle.standardError.write(Data("Quizzler did not start: \(error)\n".utf8))
                }
            }
    }

    private func quizzlerProgram() throws -> String {
        let beside = URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("quizzler").path
        let path = quizzler ?? beside
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure("There is no program \(path). Build it with `swift build --product quizzler`.")
        }
        return path
    }
}
