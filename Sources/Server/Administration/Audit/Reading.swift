import Authorization
import Directory
import Foundation

/// One time at which somebody read data of a person, or can have read it.
package struct Reading: Codable, Equatable, Sendable {
    package enum Way: String, Codable, CaseIterable, Sendable {
        /// An app has read the organization's people or classes.
        case roster
        /// The person has signed in to an app, which was told about them.
        case signIn = "sign-in"
        /// Somebody who manages accounts has looked.
        case administration
        /// The operator has written all people into files, or somebody has asked for all that there is about the
        /// person.
        case export
    }

    /// The number of the entry in the audit trail.
    package let number: Int
    package let at: Date
    /// Who has read, as in the audit trail, such as `client:com.example.quizzler` or `person:12`.
    package let reader: String
    package let way: Way
    /// What was read: the list or record of the Roster API, or the operation.
    package let list: String
    /// The fields that were read. Those that the person does not have are among them.
    package let fields: [String]
    /// What the app was allowed to read; nil if the entry does not have it.
    package let scopes: String?
    /// Whether the person was among those who were read; false if that cannot be known.
    package let isCertain: Bool
    /// Why it cannot be known.
    package let doubt: String?
    package let origin: String

    /// - Parameters:
    ///   - people: the person's record, and those that were merged into it.
    ///   - classes: the classes in which the person is now.
    /// - Returns: nil if the entry does not tell of a reading of the person.
    init?(_ record: AuditRecord, of people: [PersonID], in classes: [ClassID]) {
        guard record.outcome == AuditEntry.Outcome.done.rawValue,
            let found = AuditEntry.Action(rawValue: record.action).flatMap({ action in
                switch action {
                case .rosterRead: Found(rosterCall: record, of: people, in: classes)
                case .administrationRead: Found(administration: record, of: people)
                case .appSignIn: Found(signIn: record, of: people)
                case .rosterExported: Found.export
                case .organizationHandedOver: Found.handOver
                case .personExported: people.contains { record.subject == $0.auditName } ? Found.all : nil
                default: nil
                }
            })
        else { return nil }
        number = record.sequence
        at = record.at
        reader = found.reader ?? record.actor
        way = found.way
        list = found.list
        fields = found.fields
        scopes = found.scopes?.text
        isCertain = found.doubt == nil
        doubt = found.doubt
        origin = record.origin
    }
}

/// What an entry says of the reading.
private struct Found {
    let way: Reading.Way
    let list: String
    let fields: [String]
    var scopes: ScopeSet?
    var doubt: String?
    /// Who has read, if it was not the actor of the entry: when a person signs in, the app. Nil if the actor has read.
    var reader: String?

    static let export = Found(
        way: .export, list: "export", fields: [], doubt: "The entry says how many people the files have, not which.")

    /// All that there is about everybody of an organization that leaves.
    static let handOver = Found(
        way: .export, list: "organization.hand-over", fields: [],
        doubt: "The entry says how many people the folder has, not which.")

    /// All that there is about the person.
    static let all = Found(way: .export, list: DescribePerson.name, fields: [])
}

extension Found {
    init?(rosterCall record: AuditRecord, of people: [PersonID], in classes: [ClassID]) {
        guard let call = RosterCall(subject: record.subject, detail: record.detail) else { return nil }
        var doubt: String?
        switch call.list {
        case .users, .user, .usersOfClass:
            let answers = people.compactMap { call.hasRead($0.rawValue) }
            guard !answers.isEmpty else { return nil }
            let isCertain = answers.contains(true)
            doubt =
                isCertain
                ? nil
                : "The entry was written by an older version: it has only the first and the last of those who were read."
        case .classes, .class:
            guard classes.contains(where: { call.hasRead($0.rawValue) != nil }) else { return nil }
            doubt = "The person is in one of these classes now. Who was in them at the time is not in the entry."
        }
        self.init(
            way: .roster, list: call.list.rawValue, fields: call.fieldsOfPeople, scopes: call.scopes, doubt: doubt)
    }

    init?(administration record: AuditRecord, of people: [PersonID]) {
        let parts = record.detail.split(separator: "; ").map(String.init)
        guard let operation = parts.first else { return nil }
        var doubt: String?
        if !people.contains(where: { record.subject == $0.auditName }) {
            if let ids = parts.dropFirst().first(where: { $0.hasPrefix("ids ") }).flatMap({ IDRuns($0.dropFirst(4)) }) {
                guard people.contains(where: { ids.contains($0.rawValue) }) else { return nil }
            } else if parts.contains("everybody") {
                doubt = "Anybody of the organization may have been shown: the entry does not say who was."
            } else if operation == ListPeople.name {
                doubt = "The entry was written by an older version: it does not say who was in the list."
            } else {
                return nil
            }
        }
        self.init(
            way: .administration, list: operation, fields: Self.fields(toldBy: operation), doubt: doubt)
    }

    /// What an inquiry tells about a person, by the names of the API.
    private static func fields(toldBy operation: String) -> [String] {
        let shape: ValueShape? =
            switch operation {
            case ShowPerson.name, ListPeople.name: .of(PersonRecord.self)
            case ShowClass.name: .of(ClassRecord.Member.self)
            case ShowSignIns.name: .of(SignInRecord.self)
            default: nil
            }
        guard case .object(let fields) = shape else { return [] }
        return fields.map(\.name)
    }

    /// The person has signed in; the app is who has read.
    init?(signIn record: AuditRecord, of people: [PersonID]) {
        guard people.contains(where: { record.actor == $0.auditName }), let scopes = ScopeSet(text: record.detail)
        else { return nil }
        self.init(
            way: .signIn, list: "sign-in", fields: ["sub"] + Claim.told(with: scopes).map(\.rawValue), scopes: scopes,
            reader: record.subject)
    }
}

extension PersonID {
    fileprivate var auditName: String { "person:\(rawValue)" }
}
