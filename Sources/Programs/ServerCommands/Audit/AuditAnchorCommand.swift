import Administration
import ArgumentParser
import CommandOutput
import Foundation

struct AuditAnchorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "anchor",
        abstract: "Have the newest hash of the trail stamped by a timestamp authority.",
        discussion: """
            From then on the entries up to there cannot be made anew by anybody without showing it. You send the request \
            to an authority that you trust, and give its answer to Lanyard, which keeps it with the trail.

            For example:
              lanyard audit anchor --query request.tsq
              curl -H 'Content-Type: application/timestamp-query' --data-binary @request.tsq https://… > answer.tsr
              lanyard audit anchor --reply answer.tsr
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Option(help: "Write the request into this file (RFC 3161).", completion: .file())
    var query: String?

    @Option(help: "Keep the authority's answer, which is in this file.", completion: .file())
    var reply: String?

    @Flag(help: "Stamp the chain of the server itself.")
    var ofServer = false

    private struct Asked: Encodable {
        let number: Int
        let hash: String
        let file: String
    }

    func validate() throws {
        guard (query == nil) != (reply == nil) else { throw ValidationError("Give either --query or --reply.") }
        if ofServer, organization.organization != nil {
            throw ValidationError("--of-server stamps the chain of no organization: leave out --org.")
        }
    }

    func run() async throws {
        if let query { try await ask(into: query) }
        if let reply { try await keep(reply) }
    }

    private func ask(into file: String) async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(AskForTimestamp(ofServer: ofServer ? true : nil), in: organization.reference)
        }
        guard let data = Data(base64Encoded: answer.query), FileManager.default.createFile(atPath: file, contents: data)
        else {
            throw Failure("\(file) cannot be written: check that the folder is there and that you may write to it.")
        }
        try output.print(Asked(number: answer.number, hash: answer.hash, file: file)) {
            "\(file) asks for a timestamp of entry \(answer.number), whose hash is \(answer.hash)."
        }
    }

    private func keep(_ file: String) async throws {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw Failure("The file \(file) cannot be read.")
        }
        let answer = try await Deployment.administrate(global) {
            try await $0.perform(
                AnchorAudit(reply: data.base64EncodedString(), ofServer: ofServer ? true : nil),
                in: organization.reference
            ).answer
        }
        try output.print(answer) {
            "Kept: the authority has stamped entry \(answer.number) at \(answer.time.minuteText) UTC."
        }
    }
}
