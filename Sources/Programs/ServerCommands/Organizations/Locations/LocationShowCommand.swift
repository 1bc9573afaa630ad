import Administration
import ArgumentParser
import CommandOutput
import Directory

struct LocationShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a location, and how much belongs to it.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "The location: its id, its name, or LO: and its number.")
    var location: String

    func run() async throws {
        let answer = try await Deployment.administrate(global) {
            try await $0.ask(ShowLocation(location: LocationReference(location)), in: organization.reference)
        }
        try output.print(answer) { answer.text }
    }
}

extension ShowLocation.Answer {
    fileprivate var text: String {
        let fields: [(String, String?)] = [
            ("Name", location.name), ("Number", location.id), ("Id", location.locationID), ("Domain", location.domain),
            ("Time zone", location.timeZone),
            ("Pupils' passwords", (location.studentPasswordPolicy ?? .standard).words),
            ("Kept up by", location.source == .csv ? "the import" : "hand"),
            ("People", Location.counted(people)), ("Classes", Location.counted(classes)),
            ("Removed (UTC)", location.removedAt?.minuteText),
            ("Can be removed", location.removedAt == nil ? use.isEmpty ? "yes" : "no: \(use.text)" : nil),
            ("Pick-ups", pickUps.isEmpty ? nil : pickUps.map(String.init).joined(separator: ", ")),
        ]
        return Table.fields(
            fields
                + roles.map { holders -> (String, String?) in
                    ("Role \(holders.role.rawValue)", Location.counted(holders.number))
                })
    }
}

extension LocationUse {
    /// What stands in the way of removing the location.
    fileprivate var text: String {
        func number(_ number: Int, _ what: String) -> String? {
            number == 0 ? nil : "\(Location.counted(number, upTo: LocationUse.countedMax)) \(what)"
        }
        return [
            number(people, people == 1 ? "person with a role" : "people with a role"),
            number(classes, classes == 1 ? "class" : "classes"),
            number(terms.count, terms.count == 1 ? "open term" : "open terms"),
            number(pickUps.count, pickUps.count == 1 ? "pick-up" : "pick-ups"),
            number(heldImports.count, "waiting for approval"),
        ].compactMap(\.self).joined(separator: ", ")
    }
}
