import Administration
import ArgumentParser
import CommandOutput
import Foundation

struct OrganizationPictureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "picture",
        abstract: "Put a picture on an organization's badge, in place of its initials.",
        discussion: "People see it when they sign in.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption
    @OptionGroup var picture: PictureFile

    func run() async throws {
        let file = try picture.bytes()
        let record = try await Deployment.administrate(global) {
            try await $0.perform(SetPicture(picture: file), in: organization.reference).answer
        }
        try output.print(record) { file == nil ? "The badge has initials." : "The badge has the picture." }
    }
}

/// A PNG file for a badge, or `--none`.
struct PictureFile: ParsableArguments {
    @Argument(help: "A PNG file, of 64 to 4096 dots on a side and at most 1 MB. It is made smaller, to 128 dots.")
    var file: String?

    @Flag(help: "Take the picture away.")
    var none = false

    func validate() throws {
        guard (file == nil) == none else { throw ValidationError("Name a PNG file, or say --none.") }
    }

    /// Nil for none.
    func bytes() throws -> Data? {
        try file.map {
            do {
                return try Data(contentsOf: URL(filePath: $0))
            } catch {
                throw Failure("\($0) cannot be read: \(error.localizedDescription)")
            }
        }
    }
}
