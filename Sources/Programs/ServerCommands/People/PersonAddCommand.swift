import Administration
import ArgumentParser
import CommandOutput
import Directory

struct PersonAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Make an account by hand.",
        discussion: """
            `lanyard person password` then gives the person a first password. A personal account belongs to no \
            organization: app developers need one for the test scope.

            For example:
              lanyard person add --first-name Nadia --last-name Berg \\
                  --role administrator
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Flag(help: "Make a personal account.")
    var personal = false

    @Option(help: "The first name.")
    var firstName: String

    @Option(help: "The middle name.")
    var middleName: String?

    @Option(help: "The last name.")
    var lastName: String

    @Option(help: "The user name. [default: what the organization's format makes of the name]")
    var userName: String?

    @Option(help: "The email address.")
    var email: String?

    @Option(help: "The grade, of a pupil.")
    var grade: String?

    @Option(name: .customLong("person-id"), help: "The id in the school's own records: letters, digits, hyphens.")
    var personID: String?

    @Option(help: "A role to begin with; `person role add` gives more.")
    var role: Role?

    @Option(help: "Where the role is held: a location's id or name. [default: the organization itself]")
    var at: String?

    func validate() throws {
        if personal, organization.organization != nil || role != nil || grade != nil || personID != nil {
            throw ValidationError(
                "A personal account has no organization: leave out --org, --role, --grade and --person-id.")
        }
        if personal, userName == nil { throw ValidationError("A personal account needs --user-name.") }
        if at != nil, role == nil { throw ValidationError("--at says where a role is held: add --role.") }
    }

    func run() async throws {
        let person = AddPerson(
            firstName: firstName, middleName: middleName, lastName: lastName, userName: userName, email: email,
            grade: grade, personID: personID, role: role, at: at.map(LocationReference.init), personal: personal)
        let report = try await Deployment.administrate(global) {
            try await $0.perform(person, in: organization.reference).answer
        }
        try output.print(report) {
            """
            Added.

            \(report.text)

            `lanyard person password \(report.userName)` gives a first password.
            """
        }
    }
}
