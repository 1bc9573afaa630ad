import ArgumentParser
import CommandOutput
import Directory
import Storage

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
        let (selector, isPersonal) = (organization.selector, personal)
        let (firstName, middleName, lastName, email) = (firstName, middleName, lastName, email)
        let (userName, grade, personID, role) = (userName, grade, personID, role)
        let place = at.map(LocationSelector.init)
        let report = try await Deployment.withExisting(global) { deployment, _ in
            let now = deployment.now
            return try await deployment.database.write { transaction in
                let organization = isPersonal ? nil : try selector.findToChange(in: transaction)
                if let organization, let personID,
                    let other = try Person.find(sourceID: personID, in: organization.id, transaction)
                {
                    throw Failure("\(other.fullName) has the person id “\(personID)” already. Give another.")
                }
                let values: [UserNameFormat.Block: String?] = [
                    .firstName: firstName, .firstInitial: firstName, .middleName: middleName,
                    .middleInitial: middleName,
                    .lastName: lastName, .lastInitial: lastName, .personID: personID, .email: email,
                ]
                let person = try Person.insert(
                    in: organization?.id, sourceID: personID, givenName: firstName, middleName: middleName,
                    familyName: lastName, email: email, grade: grade,
                    userName: userName ?? Self.freeUserName(for: values, in: organization, transaction), at: now,
                    in: transaction)
                try AuditEntry(
                    .personCreated, by: .operator, on: "person:\(person.id.rawValue)", outcome: .done,
                    from: .commandLine
                ).append(to: organization?.id, at: now, in: transaction)
                if let organization, let role {
                    let location = try place?.find(in: organization, transaction)
                    try RoleAssignment(role, at: location?.id).insert(
                        for: person.id, of: organization.id, at: now, in: transaction)
                    try AuditEntry.roleAdded(role, at: location, to: person)
                        .append(to: organization.id, at: now, in: transaction)
                }
                return try PersonReport(person, in: transaction)
            }
        }
        try output.print(report) {
            """
            Added.

            \(report.text)

            `lanyard person password \(report.userName)` gives a first password.
            """
        }
    }

    /// The user name that the format gives for the person, with a number added if it is taken.
    private static func freeUserName(
        for values: [UserNameFormat.Block: String?], in organization: Organization?, _ transaction: some Transaction
    ) throws -> String {
        guard let organization else { throw ValidationError("A personal account needs --user-name.") }
        switch try organization.userNameFormat.userName(for: { values[$0] ?? nil }) {
        case .failure(let missing):
            throw Failure(
                """
                The user-name format \(organization.userNameFormatText) needs {\(missing.block.rawValue)}, which is \
                missing. Give it, or a --user-name.
                """)
        case .success(let name):
            var candidate = name
            var number = 2
            while try Person.find(userName: candidate, in: transaction) != nil {
                candidate = UserNameFormat.numbered(name, number)
                number += 1
            }
            return candidate
        }
    }
}
