import Administration
import ArgumentParser
import CommandOutput
import Foundation
import PasswordSlips
import ServerHTTP

/// The files into which passwords are written.
struct PasswordFileOptions: ParsableArguments {
    @Option(
        help: "Write them into this new file, as comma-separated values with five columns, for a spreadsheet.",
        completion: .file())
    var csv: String?

    @Option(
        help: "Draw slips for paper into this new PDF file, eight on a page, each class on pages of its own.",
        completion: .file())
    var slips: String?

    @Flag(help: "Give each slip a page of its own.")
    var oneAPage = false

    @Option(help: "The language of the slips. [default: that of the organization, or en]")
    var language: SlipLanguage?

    @Option(help: "The paper of the slips. [default: a4]")
    var paper: SlipLayout.Paper?

    var isAny: Bool { csv != nil || slips != nil }

    func validate() throws {
        if slips == nil, oneAPage || language != nil || paper != nil {
            throw ValidationError("--one-a-page, --language and --paper are about slips: name their file with --slips.")
        }
    }

    /// Creates the files, so that nobody gets a password which then cannot be written down.
    func create(_ global: GlobalOptions) async throws -> PasswordFiles {
        let address = slips == nil ? "" : try await Deployment.address(global)
        var files = PasswordFiles()
        do {
            if let csv { try files.add(csv) { PasswordFiles.Content(bytes: PasswordSheet($0).bytes) } }
            if let slips { try files.add(slips) { try content($0, address) } }
        } catch {
            files.delete()
            throw error
        }
        return files
    }

    private func content(_ issued: IssuedPasswords, _ address: String) throws -> PasswordFiles.Content {
        let document = SlipDocument(
            issued, address: address, language: language, layout: SlipLayout(paper ?? .a4, isOneAPage: oneAPage))
        let rendered = try document.render()
        return PasswordFiles.Content(
            bytes: rendered.pdf,
            remarks: rendered.namesWithoutFont.isEmpty
                ? []
                : [
                    """
                    No font of this machine has all letters of these names; boxes stand in their place: \
                    \(rendered.namesWithoutFont.joined(separator: ", ")). Write them by hand, or install fonts (such as \
                    Debian's fonts-noto-core and fonts-noto-cjk) and make new slips with --all.
                    """
                ])
    }
}

/// Files that are created, and wait for the passwords.
struct PasswordFiles {
    struct Content {
        let bytes: Data
        /// What whoever asked has to know.
        var remarks: [String] = []
    }

    typealias Making = (IssuedPasswords) throws -> Content

    private var files: [(file: NewSecretFile, making: Making)] = []

    var isEmpty: Bool { files.isEmpty }
    var paths: [String] { files.map(\.file.path) }

    mutating func add(_ path: String, _ making: @escaping Making) throws {
        files.append((try NewSecretFile(path), making))
    }

    /// - Returns: what whoever asked has to know.
    func write(_ issued: IssuedPasswords) throws -> [String] {
        try files.flatMap { file, making in
            let content = try making(issued)
            try file.write(content.bytes)
            return content.remarks
        }
    }

    func delete() { for (file, _) in files { file.delete() } }
}
