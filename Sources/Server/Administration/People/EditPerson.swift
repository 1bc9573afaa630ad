import Directory
import Storage

/// Corrects what a record says of a person. Only the fields that are given change.
///
/// For a person from the files of an import, the next import puts back what the files say, so the answer asks to
/// correct it there too. A correction does not turn them into a person who is kept by hand: then imports would never
/// notice that they have left.
package struct EditPerson: Change {
    package static let name = "person.edit"
    package static let summary = "Corrects what a record says of a person. Only the fields that are given change."
    package static let privilege = Privilege.managePeople
    package static let route = OperationRoute(.post, "people/{person}/edit")
    package static let explanations = [
        "person": "User name, person id, or number, such as `PE-12`.",
        "firstName": "The first name.",
        "middleName": "The middle name.",
        "lastName": "The last name.",
        "email": "The email address. Hidden addresses of the person lead there from now on.",
        "grade": "The grade, of a pupil.",
        "personID": "The id in the school's own records, by which imports find the person.",
        "passwordPolicy": "The length of a pupil's code, `4` or `6`, or `8` for a password.",
        "clear": "Optional fields that are to be empty.",
    ]
    package static let undo = UndoRule.possible
    package static let mayChangeNothing = true

    /// A field that can be empty.
    package enum OptionalField: String, Codable, CaseIterable, Sendable {
        case middleName
        case email
        case grade
        case personID
        case passwordPolicy
    }

    package struct Answer: Codable, Sendable, Versioned {
        package let person: PersonRecord
        /// The fields that have another value now.
        package let changed: [PersonDetails.Field]
        /// What happens to the correction, in a sentence, where an import keeps the record.
        package let notice: String?

        package var version: String { person.version }
    }

    package let person: PersonReference
    package let firstName: String?
    package let middleName: String?
    package let lastName: String?
    package let email: String?
    package let grade: String?
    package let personID: String?
    package let passwordPolicy: PasswordPolicy?
    package let clear: [OptionalField]?

    package init(
        person: PersonReference, firstName: String? = nil, middleName: String? = nil, lastName: String? = nil,
        email: String? = nil, grade: String? = nil, personID: String? = nil, passwordPolicy: PasswordPolicy? = nil,
        clear: [OptionalField]? = nil
    ) {
        self.person = person
        self.firstName = firstName
        self.middleName = middleName
        self.lastName = lastName
        self.email = email
        self.grade = grade
        self.personID = personID
        self.passwordPolicy = passwordPolicy
        self.clear = clear
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Person {
        try person.findToChange(in: context, transaction)
    }

    package func carryOut(on person: Person, _: Void, in act: Act) throws -> Answer {
        let former = person.details
        let details = try details(insteadOf: former)
        try Self.check(details.differences(from: former), of: person, personID: details.sourceID)
        let changed = try person.correct(to: details, at: act.now, in: act.transaction)
        if !changed.isEmpty {
            try act.record(
                .personChanged, on: person, called: person.fullName,
                changed.map(\.words).joined(separator: ", ") + " corrected")
            act.undo(by: EditPerson(PersonReference(person.id), changed, backTo: former))
        }
        let record = try PersonRecord(person, in: act.transaction)
        return Answer(person: record, changed: changed, notice: Self.notice(changed, record))
    }
}

extension EditPerson {
    /// What puts the former values back.
    private init(_ person: PersonReference, _ changed: [PersonDetails.Field], backTo former: PersonDetails) {
        func value<Value>(_ field: PersonDetails.Field, _ value: Value?) -> Value? {
            changed.contains(field) ? value : nil
        }
        let empty: [OptionalField] = changed.compactMap { field in
            switch field {
            case .middleName: former.middleName == nil ? .middleName : nil
            case .email: former.email == nil ? .email : nil
            case .grade: former.grade == nil ? .grade : nil
            case .personID: former.sourceID == nil ? .personID : nil
            case .passwordPolicy: former.passwordPolicy == nil ? .passwordPolicy : nil
            case .firstName, .lastName: nil
            }
        }
        self.init(
            person: person, firstName: value(.firstName, former.givenName),
            middleName: value(.middleName, former.middleName), lastName: value(.lastName, former.familyName),
            email: value(.email, former.email), grade: value(.grade, former.grade),
            personID: value(.personID, former.sourceID),
            passwordPolicy: value(.passwordPolicy, former.passwordPolicy), clear: empty.isEmpty ? nil : empty)
    }

    private func details(insteadOf former: PersonDetails) throws -> PersonDetails {
        let cleared = Set(clear ?? [])
        var isAnyGiven = !cleared.isEmpty
        func new(_ given: String?, _ former: String?, _ field: OptionalField, _ words: String) throws -> String? {
            guard let given else { return cleared.contains(field) ? nil : former }
            isAnyGiven = true
            guard !cleared.contains(field) else {
                throw OperationError.invalid(field: words, reason: "is given, and is to be empty: only one can be")
            }
            guard !given.allSatisfy(\.isWhitespace) else {
                throw OperationError.invalid(field: words, reason: "is empty: name it among those that are to be")
            }
            return given
        }
        var details = former
        details.middleName = try new(middleName, former.middleName, .middleName, "middle name")
        details.email = try new(email, former.email, .email, "email address")
        details.grade = try new(grade, former.grade, .grade, "grade")
        details.sourceID = try new(personID, former.sourceID, .personID, "person id")
        let policy = try new(
            passwordPolicy?.rawValue, former.passwordPolicy?.rawValue, .passwordPolicy, "password policy")
        details.passwordPolicy = policy.flatMap(PasswordPolicy.init(rawValue:))
        if let firstName { details.givenName = firstName }
        if let lastName { details.familyName = lastName }
        guard isAnyGiven || firstName != nil || lastName != nil else {
            throw OperationError.invalid(field: "correction", reason: "is missing: give at least one field")
        }
        return details
    }

    /// - Throws: ``OperationError/refused(_:remedy:)`` for what does not go with this kind of account
    private static func check(
        _ changed: [PersonDetails.Field], of person: Person, personID: String?
    ) throws {
        if person.organizationID == nil, let field = changed.first(where: { !$0.isForPersonalAccounts }) {
            throw OperationError.refused(
                field == .email
                    ? """
                    \(person.fullName) has a personal account. Only its owner changes the address, by a code that is \
                    sent there: it is the user name too.
                    """ : "\(person.fullName) has a personal account, which has no \(field.words).")
        }
        if person.source == .csv, changed.contains(.personID), personID == nil {
            throw OperationError.refused(
                """
                An import keeps \(person.fullName), and finds the person by the person id: without one the next import \
                would deactivate the account. Give another id instead.
                """)
        }
    }

    private static func notice(_ changed: [PersonDetails.Field], _ person: PersonRecord) -> String? {
        guard person.source == .csv, !changed.isEmpty else { return nil }
        let others = changed.filter { $0 != .personID }
        let sentences = [
            others.isEmpty
                ? nil
                : """
                An import keeps this record: the next one puts back what the school's files say, so correct it there \
                too.
                """,
            !changed.contains(.personID)
                ? nil
                : """
                Imports look for the person id \(person.personID ?? "") from now on: if the files still have the \
                former one, they make a new account of it and deactivate this one.
                """,
        ]
        return sentences.compactMap(\.self).joined(separator: " ")
    }
}

extension PersonDetails.Field {
    fileprivate var isForPersonalAccounts: Bool {
        switch self {
        case .firstName, .middleName, .lastName: true
        case .email, .grade, .personID, .passwordPolicy: false
        }
    }
}
