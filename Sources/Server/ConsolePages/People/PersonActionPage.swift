import Administration
import Directory
import ServerPages

/// What is done with one person or several on a press of a button, after the page has said what follows.
package enum PersonAction: String, CaseIterable, Sendable {
    case unlock, signOut = "sign-out", deactivate, reactivate

    private var key: String { self == .signOut ? "signOut" : rawValue }

    /// - Parameter name: nil for several people.
    package func heading(of name: String?) -> Sentence {
        name.map { Sentence("consolePerson.\(key)Heading", ["name": .text($0)]) }
            ?? Sentence("consolePeople.\(key)Heading")
    }

    package var consequences: [Sentence] { [Sentence("consolePerson.\(key)Text")] }
    package var button: Sentence { Sentence("consolePeople.\(key)") }

    static let sentences = allCases.flatMap { action in
        [action.heading(of: ""), action.heading(of: nil), action.button] + action.consequences
    }
}

/// The page on which a person's record is corrected.
package struct EditPersonPage: ConsolePage {
    package let desk: Desk
    package let person: PersonRecord
    /// What was typed, by the names of the fields; nil for what the record says.
    package let typed: [String: String]?
    package let failure: OperationFailure?

    package init(desk: Desk, person: PersonRecord, typed: [String: String]? = nil, failure: OperationFailure? = nil) {
        self.desk = desk
        self.person = person
        self.typed = typed
        self.failure = failure
    }

    package var section: ConsoleSection { .people }
    package var heading: Sentence { Sentence("consolePerson.editHeading", ["name": .text(person.fullName)]) }
    package var parent: ConsoleLink? { ConsoleLink(.named(person.fullName), to: PersonWords.path(of: person.number)) }
    package var lead: Sentence? { person.source == .csv ? Sentence("consolePerson.editImported") : nil }

    /// The names of the fields that a record of this person has.
    package static func names(of person: PersonRecord, at desk: Desk) -> [String] {
        // Only pupils who are nothing else have codes in place of passwords.
        let isPupil = !person.roles.isEmpty && person.roles.allSatisfy { $0.role == .student }
        return ["firstName", "middleName", "lastName", "email"] + (desk.isSchool ? ["grade"] : [])
            // Imports find the person by it. With another one the next import would make another account.
            + (desk.isSchool && person.source != .csv ? ["personID"] : [])
            + (desk.isSchool && isPupil ? ["passwordPolicy"] : [])
    }

    package func value(_ name: String) -> String {
        if let typed { return typed[name] ?? "" }
        return switch name {
        case "firstName": person.firstName
        case "middleName": person.middleName ?? ""
        case "lastName": person.lastName
        case "email": person.email ?? ""
        case "grade": person.grade ?? ""
        case "personID": person.personID ?? ""
        case "passwordPolicy": person.ownPasswordPolicy?.rawValue ?? ""
        default: ""
        }
    }

    package var parts: [Part] {
        let policies = PasswordPolicy.options(none: Sentence("consolePerson.policyOfLocation"))
        func field(_ name: String) -> ConsoleField {
            let kind: ConsoleField.Kind =
                switch name {
                case "email": .email
                case "personID": .verbatim
                case "passwordPolicy": .choice(policies)
                default: .text
                }
            let hint = ["personID", "passwordPolicy"].contains(name) ? Sentence("consolePerson.\(name)Hint") : nil
            return ConsoleField(
                name, kind, Sentence("consolePerson.\(name)"), value: value(name), hint: hint,
                isRequired: ["firstName", "lastName"].contains(name))
        }
        return Part.refusals(failure) + [
            .form(
                ConsoleForm(
                    .init("\(PersonWords.path(of: person.number))/edit", [("version", person.version)]),
                    Self.names(of: person, at: desk).map(field),
                    button: Sentence("console.save"),
                    cancel: parent.map { ConsoleLink(Sentence("console.cancel"), to: $0.path) }))
        ]
    }

    static let sentences = [
        "firstName", "middleName", "lastName", "email", "grade", "personID", "personIDHint", "passwordPolicy",
        "passwordPolicyHint",
    ].map { Sentence("consolePerson.\($0)") }
}

extension Part {
    /// What the server has said to a form; nothing if there was no failure.
    package static func refusals(_ failure: OperationFailure?) -> [Part] {
        failure.map { [.refusal(Sentence("consoleProblem.refusedText"), detail: $0.detail)] } ?? []
    }
}
