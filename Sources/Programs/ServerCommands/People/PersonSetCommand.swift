import Administration
import ArgumentParser
import CommandOutput
import Directory

struct PersonSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Correct what a record says of a person.",
        discussion: """
            Only what is given changes. If an import keeps the record, the next one puts back what the school's files \
            say: correct it there too. `lanyard person rename` changes the user name.

            For example:
              lanyard person set ana.nunez@maple.example --last-name "Núñez Vega" --clear grade
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var person: PersonArgument

    @Option(help: "The first name.")
    var firstName: String?

    @Option(help: "The middle name.")
    var middleName: String?

    @Option(help: "The last name.")
    var lastName: String?

    @Option(help: "The email address.")
    var email: String?

    @Option(help: "The grade, of a pupil.")
    var grade: String?

    @Option(
        name: .customLong("person-id"), help: "The id in the school's own records, by which imports find the person.")
    var personID: String?

    @Option(help: "A pupil's code of 4 or 6 digits, or 8: a password.")
    var passwordPolicy: PasswordPolicy?

    @Option(help: "A field that is to be empty; may be given several times.")
    var clear: [EditPerson.OptionalField] = []

    func validate() throws {
        let given: [Any?] = [firstName, middleName, lastName, email, grade, personID, passwordPolicy]
        guard given.contains(where: { $0 != nil }) || !clear.isEmpty else {
            throw ValidationError("Say what to correct, for example --last-name.")
        }
    }

    func run() async throws {
        let answer = try await person.perform(
            {
                EditPerson(
                    person: $0, firstName: firstName, middleName: middleName, lastName: lastName, email: email,
                    grade: grade, personID: personID, passwordPolicy: passwordPolicy,
                    clear: clear.isEmpty ? nil : clear)
            }, global)
        try output.print(answer) {
            let changed = answer.changed.map(\.words).joined(separator: ", ")
            return [
                changed.isEmpty ? "Nothing had to be corrected." : "Corrected: \(changed).", answer.person.text,
                answer.notice,
            ].compactMap(\.self).joined(separator: "\n\n")
        }
    }
}

/// Written as the options are.
extension EditPerson.OptionalField: ExpressibleByArgument {
    private var argument: String {
        switch self {
        case .middleName: "middle-name"
        case .email: "email"
        case .grade: "grade"
        case .personID: "person-id"
        case .passwordPolicy: "password-policy"
        }
    }

    package init?(argument: String) {
        guard let field = Self.allCases.first(where: { $0.argument == argument }) else { return nil }
        self = field
    }

    package static var allValueStrings: [String] { allCases.map(\.argument) }
}
