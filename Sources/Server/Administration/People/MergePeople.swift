import Authorization
import Directory
import Foundation
import Storage

/// Makes two records of one person one. The kept record gets what the other has in the school: roles, classes,
/// registered devices, and the person id if it has none. The other is deactivated, and says where it has gone.
///
/// Apps are not told that the two are one. An app that saw the other record is told that it has left, and gets the kept
/// record's own id when the person signs in. If the id of one record led to the other, then after a merge by mistake it
/// would lead to another child.
package struct MergePeople: Change {
    package static let name = "person.merge"
    package static let summary = "Makes two records of one person one. The other record is deactivated, and stays."
    package static let privilege = Privilege.erasePeople
    package static let route = OperationRoute(.post, "people/{person}/merge")
    package static let explanations = [
        "person": "The record that is kept: user name, person id, or number, such as `PE-12`.",
        "other": "The record that is given up.",
    ]
    package static let undo = UndoRule.possible

    package struct Answer: Codable, Sendable, Versioned {
        package let person: PersonRecord
        package let other: PersonRecord
        /// The apps that are told that the other record has left.
        package let apps: [EndedApp]
        /// What is left to do, in a sentence.
        package let notice: String?

        package var version: String { person.version }
    }

    package struct EndedApp: Codable, Equatable, Sendable {
        package let name: String
        /// Whether the person has signed in to it with the kept record too, so that it has data under both.
        package let knowsBoth: Bool
    }

    package let person: PersonReference
    package let other: PersonReference

    package init(person: PersonReference, other: PersonReference) {
        self.person = person
        self.other = other
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> RecordPair {
        RecordPair(
            kept: try person.findToChange(in: context, transaction),
            other: try other.findToChange(in: context, transaction), isMerged: false)
    }

    package func carryOut(on pair: RecordPair, _: Void, in act: Act) throws -> Answer {
        let (kept, other, transaction) = (pair.kept, pair.other, act.transaction)
        try pair.checkMergeable(in: transaction)
        let apps = try SignInConsent.list(of: other.id, in: transaction).map { consent in
            (
                id: consent.appID, name: try App.find(consent.appID, in: transaction)?.name ?? "",
                knowsBoth: try SignInConsent.existed(app: consent.appID, person: kept.id, in: transaction)
            )
        }
        let hiding = try pair.appsHidingKept(at: act.now, in: transaction)
        let moved = try PersonMerge.make(of: other, into: kept, at: act.now, in: transaction).moved
        // The other one may have left, and what a leaver holds does not keep a location from being removed.
        try act.checkPlaces(of: kept)
        try record(moved, on: pair, in: act)
        for app in hiding {
            try act.record(.sharingHidden, on: kept, called: kept.fullName, "not shown to app:\(app.rawValue)")
        }
        for app in apps {
            try act.record(
                .personChanged, on: other, called: other.fullName,
                "the sign-in to app:\(app.id.rawValue) ends"
                    + (app.knowsBoth ? "; the app has data of the kept record too" : ""))
        }
        try EndedSignIns.tellOfDeparture(
            of: other.id, by: act.actor, from: act.origin, at: act.now, surroundings: act.surroundings,
            in: transaction)
        act.undo(
            by: SeparatePeople(person: PersonReference(kept.id), other: PersonReference(other.id)))
        return Answer(
            person: try PersonRecord(kept, in: transaction), other: try PersonRecord(other, in: transaction),
            apps: apps.map { EndedApp(name: $0.name, knowsBoth: $0.knowsBoth) },
            notice: Self.notice(kept, other))
    }

    private func record(_ moved: PersonMerge.Moved, on pair: RecordPair, in act: Act) throws {
        let (kept, other) = (pair.kept, pair.other)
        func take(_ what: String) throws {
            try act.record(
                .personChanged, on: kept, called: kept.fullName, "\(what) taken over from \(other.auditName)")
        }
        for role in moved.roles where role.isNew {
            let place = role.location == 0 ? "the organization" : "location:\(role.location)"
            try take("role \(role.role.rawValue) at \(place)")
        }
        for membership in moved.memberships where membership.isNew {
            try take("class:\(membership.classID) as \(membership.isStudent ? "student" : "instructor")")
        }
        if !moved.devices.isEmpty {
            try take("\(moved.devices.count) registered device\(moved.devices.count == 1 ? "" : "s")")
        }
        if moved.identity != nil { try take("person id") }
        try act.record(.personChanged, on: other, called: other.fullName, "merged into \(kept.auditName)")
    }

    private static func notice(_ kept: Person, _ other: Person) -> String? {
        guard let id = kept.sourceID, let otherID = other.sourceID else { return nil }
        return """
            Both records have a person id. Imports go on to find the person by \(id); take \(otherID) out of the \
            school's records, because the classes that they give it do not reach the kept record.
            """
    }
}

/// Takes a merging back: the other record is an account of its own again, with all that the kept one got from it.
package struct SeparatePeople: Change {
    package typealias Answer = PersonRecord

    package static let name = "person.separate"
    package static let summary = "Takes a merging back. Former sessions and sign-ins to apps do not come back."
    package static let privilege = Privilege.erasePeople
    package static let route = OperationRoute(.post, "people/{person}/separate")
    package static let explanations = [
        "person": "The record that was kept: user name, person id, or number, such as `PE-12`.",
        "other": "The record that was given up.",
    ]
    package static let undo = UndoRule.possible

    package let person: PersonReference
    package let other: PersonReference

    package init(person: PersonReference, other: PersonReference) {
        self.person = person
        self.other = other
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> RecordPair {
        RecordPair(
            kept: try person.findToChange(in: context, transaction),
            other: try other.findToChange(in: context, transaction), isMerged: true)
    }

    package func carryOut(on pair: RecordPair, _: Void, in act: Act) throws -> PersonRecord {
        let (kept, other, transaction) = (pair.kept, pair.other, act.transaction)
        guard let merge = try PersonMerge.find(of: other.id, in: transaction), merge.kept == kept.id else {
            throw OperationError.refused("\(other.fullName) (\(other.userName)) was not merged into \(kept.userName).")
        }
        if let next = try PersonMerge.destination(of: kept.id, in: transaction) {
            throw OperationError.refused(
                "\(kept.userName) was itself merged into PE-\(next.rawValue) since. Take that back first.")
        }
        if let identity = merge.moved.identity, kept.sourceID != identity.sourceID {
            throw OperationError.refused(
                "\(kept.userName) has another person id by now than the one from \(other.userName).")
        }
        try merge.takeBack(at: act.now, in: transaction)
        for person in [other, kept] where try Person.find(person.id, in: transaction)?.state != .deactivated {
            try act.checkPlaces(of: person)
        }
        try act.record(
            .personChanged, on: other, called: other.fullName, "separated from \(kept.auditName)")
        try act.record(
            .personChanged, on: kept, called: kept.fullName, "what came from \(other.auditName) is given back")
        act.undo(by: MergePeople(person: PersonReference(kept.id), other: PersonReference(other.id)))
        return try PersonRecord(other, in: transaction)
    }
}

/// The two records of a merging. Whoever merges must be allowed to change both.
package struct RecordPair: OperationSubject {
    let kept: Person
    let other: Person
    let isMerged: Bool

    package var subjectOrganization: OrganizationID? { kept.organizationID }
    package var auditName: String { kept.auditName }

    package func isOpen(
        to authority: Authority, for privilege: Privilege, in transaction: some Transaction
    ) throws -> Bool {
        guard try kept.isOpen(to: authority, for: privilege, in: transaction) else { return false }
        // A record that was given up holds no roles, and without roles it would belong to the whole organization. So
        // the roles count that it would get back: otherwise whoever manages one school could merge two of its records,
        // and not take that back.
        guard isMerged, let roles = try PersonMerge.find(of: other.id, in: transaction)?.moved.roles, !roles.isEmpty,
            !authority.isOperator
        else { return try other.isOpen(to: authority, for: privilege, in: transaction) }
        return other.organizationID == authority.organization
            && roles.map(\.assignment).allSatisfy { held in
                authority.standings(privilege).contains {
                    $0.teacher == nil && $0.covers(held.location) && $0.managedRoles.contains(held.role)
                }
            }
    }

    /// Before a merge it is the version of the kept record, at which the caller has looked. After it, it is the
    /// versions of both records, because taking the merge back would undo part of what was changed in either since.
    package func version(in transaction: some Transaction) throws -> String? {
        let version = try PersonRecord(kept, in: transaction).version
        return isMerged ? try "\(version) \(PersonRecord(other, in: transaction).version)" : version
    }

    /// The apps that see the kept record, and will not after the merging: the other one is left out of what they see.
    fileprivate func appsHidingKept(at now: Date, in transaction: some Transaction) throws -> [AppID] {
        guard let organization = kept.organizationID else { return [] }
        return try SharingRules.apps(leavingOut: other.id, butNot: kept.id, in: transaction).filter { app in
            let sharing = try SharingFilter.find(for: app, of: organization, at: now, in: transaction)
            return try RosterPerson.find(kept.id, in: organization, through: sharing, at: now, transaction) != nil
        }
    }

    /// - Throws: ``OperationError/refused(_:remedy:)`` with the reason
    func checkMergeable(in transaction: some Transaction) throws {
        guard kept.id != other.id else {
            throw OperationError.refused("Both are the same record, \(kept.fullName) (\(kept.userName)).")
        }
        for person in [kept, other] where person.organizationID == nil {
            throw OperationError.refused(
                """
                \(person.fullName) (\(person.userName)) has a personal account, which belongs to its owner alone: only \
                records of an organization are merged.
                """)
        }
        guard kept.organizationID == other.organizationID else {
            throw OperationError.refused(
                """
                \(kept.userName) and \(other.userName) belong to two organizations, whose records of a person are two \
                on purpose.
                """)
        }
        for person in [kept, other] {
            guard let next = try PersonMerge.destination(of: person.id, in: transaction) else { continue }
            throw OperationError.refused(
                "\(person.fullName) (\(person.userName)) was merged into PE-\(next.rawValue) already. Name that one.")
        }
        guard kept.state != .deactivated else {
            throw OperationError.refused(
                "\(kept.fullName) (\(kept.userName)) is deactivated, and cannot be the record that is kept.",
                remedy: .init(ReactivatePerson.name, kept.userName))
        }
    }
}
