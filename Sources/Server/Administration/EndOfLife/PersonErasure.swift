import Authorization
import Directory
import Foundation
import Ground
import Storage

/// A person whose record is to be erased, together with the records that were merged into it.
package struct ErasableRecord: OperationSubject {
    let person: Person
    let organization: OrganizationID
    /// The records of the same person, the one that is in use first.
    let records: [Person]

    package var subjectOrganization: OrganizationID? { organization }
    package var auditName: String { person.auditName }

    /// The roles of merged records have moved to the record in use, so that one alone decides who may erase them.
    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) throws -> Bool { try person.isOpen(to: authority, for: privilege, in: transaction) }

    /// Changes with what the preview shows: the record, and the apps that have it.
    package func version(in transaction: some Transaction) throws -> String? {
        var parts: [String] = []
        for record in records {
            parts.append(try PersonRecord(record, in: transaction).version)
            parts += try SignInConsent.apps(everOf: record.id, in: transaction).map { "app \($0.rawValue)" }
        }
        return .version(of: parts.joined(separator: "\n").utf8)
    }

    /// - Throws: ``OperationError/refused(_:remedy:)`` for a personal account and for a record that was given up
    init(_ person: Person, in transaction: some Transaction) throws {
        guard let organization = person.organizationID else {
            throw OperationError.refused(
                "\(person.fullName) (\(person.userName)) has a personal account, which its owner alone deletes.")
        }
        if let kept = try PersonMerge.destination(of: person.id, in: transaction) {
            throw OperationError.refused(
                """
                \(person.fullName) (\(person.userName)) was merged into PE-\(kept.rawValue), and is erased together with \
                that record. Name that one.
                """)
        }
        self.person = person
        self.organization = organization
        records =
            [person]
            + (try PersonMerge.origins(of: person.id, in: transaction).compactMap { id in
                try Person.find(id, in: transaction)
            })
    }
}

/// Erasing a person, whoever asks for it: an administrator, or a rule.
struct PersonErasure {
    let subject: ErasableRecord
    let actor: Actor
    let origin: Origin
    let now: Date
    let surroundings: Surroundings
    let transaction: WriteTransaction
    /// Whether the last Administrator of an open organization is refused. Who was erased before is not.
    var keepsAdministrator = true

    /// What has become of the record.
    struct Report: Sendable {
        /// In words, such as `roles: 2`.
        var gone: [String] = []
        var notices: [(notice: ErasureNotice, app: App)] = []
        /// The places at which the person held a role.
        var places: [LocationID] = []
    }

    /// The hold that keeps the person now; nil if there is none.
    func hold() throws -> LegalHold? {
        for record in subject.records {
            let hold = try LegalHold.covering(record.id, of: subject.organization, at: now, in: transaction)
            if let hold { return hold }
        }
        return nil
    }

    /// Why the person must not be erased now; nil if nothing is against it.
    func refusal() throws -> OperationError? {
        let person = subject.person
        if let hold = try hold() {
            let whom = hold.personID == nil ? "Nobody of the organization" : "\(person.fullName)"
            return .refused(
                """
                \(whom) \(hold.personID == nil ? "is" : "must not be") erased until \(hold.lastDay.text) has passed, \
                because of legal hold \(hold.id.rawValue).
                """,
                remedy: .init(ListHolds.name, "", use: .looking("says why")))
        }
        let isClosed = try Organization.isClosed(subject.organization, in: transaction)
        // A person from the files must have been deactivated: otherwise the next import would add them again. If the
        // files go on to name somebody who was erased, the import is held. A closed organization has no imports.
        if person.source == .csv, person.state != .deactivated, !isClosed {
            return .refused(
                """
                The school's files name \(person.fullName) (person id \(person.sourceID ?? "")), and the next import \
                would make the person anew. Take the rows out of the files and import them, or deactivate the person if \
                they have left.
                """, remedy: .init(DeactivatePerson.name, person.userName))
        }
        return nil
    }

    /// Erases the records. It does not ask ``refusal()``, which callers have to ask before.
    /// - Throws: ``DirectoryError/lastAdministrator(_:)``
    func carryOut() throws -> Report {
        var report = Report()
        report.places = try RoleAssignment.recorded(of: subject.person.id, in: transaction).compactMap(\.location)
        var counts: [(name: String, count: Int)] = []
        func note(_ count: Int, _ name: String) {
            if let index = counts.firstIndex(where: { $0.name == name }) {
                counts[index].count += count
            } else if count > 0 {
                counts.append((name, count))
            }
        }
        for record in subject.records {
            let apps = try apps(knowing: record)
            // Takes the person out of what apps see, and refuses the last Administrator. The devices go with it.
            note(try devices(of: record), PersonTable.devicesName)
            if record.state != .deactivated {
                try record.deactivate(
                    keepsAdministrator: keepsAdministrator
                        && !Organization.isClosed(subject.organization, in: transaction), at: now, in: transaction)
            }
            _ = try Departure.take(record.id, in: transaction)
            try EndedSignIns.close(
                .recordErased, of: record.id, by: actor, from: origin, at: now, surroundings: surroundings,
                in: transaction)
            try RosterClass.touch(withMembers: "$2", [record.id], at: now, in: transaction)
            for table in PersonTable.all {
                guard case .done(let name, let statements) = table.erasing else { continue }
                let changed = try statements.reduce(0) { $0 + (try transaction.execute($1, [record.id])) }
                if let name { note(changed, name) }
            }
            try record.eraseManaged(in: subject.organization, at: now, in: transaction)
            for app in apps {
                let notice = try ErasureNotice.tell(
                    app.id, of: record.id, at: now, surroundings: surroundings, in: transaction)
                report.notices.append((notice, app))
            }
        }
        report.gone =
            ["names, user names, addresses and numbers"]
            + (subject.records.count > 1 ? ["records that were merged into it: \(subject.records.count - 1)"] : [])
            + counts.map { "\($0.name): \($0.count)" }
        return report
    }

    private func devices(of record: Person) throws -> Int {
        try transaction.first("SELECT COUNT(*) FROM registered_device WHERE person_id = $1", [record.id]) {
            try $0[0]
        } ?? 0
    }

    /// The apps to which the person has ever signed in, and those that have read the person in the roster.
    private func apps(knowing record: Person) throws -> [App] {
        var apps = try SignInConsent.apps(everOf: record.id, in: transaction)
        let organization = try Organization.find(subject.organization, in: transaction)
        for reader in try ReaderSummary.all(of: [record.id], in: organization, transaction) {
            guard let app = try ReaderSummary.app(of: reader.reader, transaction), !apps.contains(app.id) else {
                continue
            }
            apps.append(app.id)
        }
        return try apps.sorted().compactMap { try App.find($0, in: transaction) }
    }
}

extension PersonErasure {
    /// Erases the person in the name of the server, and writes it into the audit trail.
    func carryOutBySystem() throws {
        let report = try carryOut()
        let details = [report.detail] + report.notices.map { Report.detail(of: $0.notice) }
        for detail in details {
            try AuditEntry(
                .personErased, by: actor, on: subject.auditName, outcome: .done, detail: detail, from: origin,
                mentioning: report.mentions
            ).append(to: subject.organization, at: now, in: transaction)
        }
    }
}

extension PersonErasure.Report {
    var mentions: [AuditMention] { places.map(AuditMention.location) }

    /// For the audit trail: what went, by numbers.
    var detail: String { "erased: \(gone.joined(separator: ", "))" }

    static func detail(of notice: ErasureNotice) -> String {
        notice.state == .untold
            ? "app:\(notice.appID.rawValue) takes no notifications; its makers have to be told"
            : "app:\(notice.appID.rawValue) is told"
    }
}
