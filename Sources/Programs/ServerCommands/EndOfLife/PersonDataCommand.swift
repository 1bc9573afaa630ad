import Administration
import ArgumentParser
import CommandOutput
import Foundation
import ServerHTTP
import ServerPages

struct PersonDataCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "data",
        abstract: "All that the server holds about one person, as they or their parents may ask for.",
        discussion: """
            The ending of the file says the form: .html is a page to read and to print, in the language that you choose; \
            .csv is a table for a spreadsheet; .json is for programs. Without a file the command says how much there is. \
            The audit trail has an entry of it in any case, also for the operator.

            For example:
              lanyard person data nadia@maple.example --out nadia.html --language ko
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var person: PersonArgument

    @Option(help: "The file, which must not be there yet: .html, .csv or .json.", completion: .file())
    var out: String?

    @Option(help: "The language of the page: en, ja or ko.")
    var language = Language.english

    private enum Form: String {
        case html, csv, json
    }

    func validate() throws {
        if let out, Form(rawValue: (out as NSString).pathExtension.lowercased()) == nil {
            throw ValidationError("\(out) ends neither with .html nor with .csv nor with .json.")
        }
    }

    func run() async throws {
        if let out, FileManager.default.fileExists(atPath: out) {
            throw Failure("\(out) is there already. Choose another name, or delete it first.")
        }
        let data = try await Deployment.administrate(global) {
            try await $0.ask(DescribePerson(person: person.reference), in: person.organization.reference)
        }
        if let out {
            let form = Form(rawValue: (out as NSString).pathExtension.lowercased())
            let bytes =
                switch form {
                case .csv: Data(data.csv.utf8)
                case .json: try JSONEncoder.administration.encode(data)
                case .html, nil: Data(try Pages().document(PersonDataPage(data), in: language).utf8)
                }
            // A new file is readable for its owner alone, see `Lanyard.main`.
            guard FileManager.default.createFile(atPath: out, contents: bytes) else {
                throw Failure("\(out) cannot be written: check that the folder is there and that you may write to it.")
            }
        }
        try output.print(data) {
            let table = Table.text(
                ["SECTION", "ENTRIES"], data.sections.map { [$0.name.rawValue, "\($0.rows.count)"] })
            return "\(data.fullName), PE-\(data.number)\n\n\(table)\n\n"
                + (out.map { "Wrote \($0)." } ?? "`--out FILE.html` writes all of it into a file.")
        }
    }
}

extension Language: ExpressibleByArgument {}
