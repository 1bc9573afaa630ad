import Administration
import ArgumentParser
import CommandOutput
import Directory
import Foundation
import RosterFiles
import Storage

struct IDMapGuessCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "guess",
        abstract: "Compare the files of a new system with the records, and write a map to be checked.",
        discussion: """
            People are compared by person number, address, user name, name, grade and place; locations, courses and \
            classes by name and number. What is beyond doubt gets its new id. What is not stands first in the map, with \
            candidates and without a new id: fill in the one that is right, and leave the others empty. Changes nothing.

            For example:
              lanyard id-map guess files-of-the-new-system.zip map.csv
              lanyard id-map guess files-of-the-high-school.zip map.csv --school high
              lanyard id-map apply map.csv --dry-run
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "A folder or a ZIP with the six files of the new system.", completion: .file())
    var files: String

    @Argument(help: "Where to write the map. A file of that name must not be there yet.", completion: .file())
    var map: String

    @Option(
        help: ArgumentHelp(
            """
            The new system is that of this school alone: compare no other records. Its location_id, name, or LO: and \
            number. May be repeated for schools with one information system.
            """, valueName: "location"))
    var school: [String] = []

    func run() async throws {
        guard FileManager.default.fileExists(atPath: files) else { throw Failure("There is no \(files).") }
        // Somebody may have corrected it by hand.
        guard !FileManager.default.fileExists(atPath: map) else {
            throw Failure("\(map) is there already. Name another file, or remove it first.")
        }
        let guess = try await global.remote == nil ? guessHere() : guessThere()
        try output.print(guess) { text(of: guess) }
        if guess.hasErrors { throw ExitCode.defects }
    }

    /// Reads the files where they lie, however large they are.
    private func guessHere() async throws -> IDMapGuess {
        let selector = organization.selector
        let (files, map, school) = (files, map, school.map { LocationReference($0) })
        return try await Deployment.withExisting(global) { deployment, _ in
            let (organization, schools) = try await deployment.database.read { transaction in
                let organization = try selector.findToChange(in: transaction)
                return (organization, try school.map { try $0.findSchool(in: organization, transaction) })
            }
            return try await IDMapGuesser(database: deployment.database, surroundings: deployment.surroundings)
                .guess(
                    organization: organization.id, from: files, to: map, schools: schools, actor: .operator,
                    origin: .commandLine)
        }
    }

    /// Sends the files to the server, and writes the map here.
    private func guessThere() async throws -> IDMapGuess {
        let change = GuessIDMap(
            archive: try RosterPackage.archive(at: files),
            schools: school.isEmpty ? nil : school.map { LocationReference($0) })
        let file = try NewSecretFile(map)
        do {
            let proposal = try await Deployment.administrate(global) {
                try await $0.perform(change, in: organization.reference).answer
            }
            let guess = IDMapGuess(proposal)
            if guess.hasErrors { file.delete() } else { try file.write(Data(try proposal.file())) }
            return guess
        } catch {
            file.delete()
            throw error
        }
    }

    private func text(of guess: IDMapGuess) -> String {
        guard !guess.hasErrors else {
            return guess.defects.map { "error: \($0)" }.joined(separator: "\n") + "\n\nNo map was written."
        }
        return Table.text(
            ["RECORDS", ""],
            [
                ["beyond doubt", "\(guess.sure)"], ["to be decided", "\(guess.unsure)"],
                ["nobody in the files", "\(guess.unmatched)"],
            ])
            + "\n\n\(map) is written. Look at its first lines, and fill in new ids where you know them. Then:\n\n"
            + "  lanyard id-map apply \(map) --dry-run"
    }
}
