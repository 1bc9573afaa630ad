import Authorization
import Directory
import Foundation
import Storage

/// Erases people again, after a copy of the database was put in place in which they are still there, and brings their
/// organization to what it was since: closed, or open.
///
/// A number alone could mean somebody else: after the copy was put in place, people may have been added who got the
/// numbers of erased ones. So a record is recognized by its number together with the time at which it was made, and
/// nobody is erased who is not recognized. From now on no new record gets a number from the list.
///
/// The newest closing or reopening counts, be it of the list or of the audit trail, by the time at which it was done
/// first. Nothing that is closed is erased within the next days, whatever its day was: meanwhile somebody can say that
/// the list was wrong.
package struct ReplayErasures: Change {
    package static let name = "erasure.replay"
    package static let summary = """
        Erases people again, and closes or opens their organization again, after a copy of the database was put in place.
        """
    package static let privilege = Privilege.operateServer
    package static let route = OperationRoute(.post, "erasures/replay", bodyBytesMax: 16 << 20)
    package static let explanations = [
        "erasures": "Those of `erasure.list`, 10 000 at most.",
        "closings": "Those of `erasure.list`, 10 000 at most. Those that are dated in the future are ignored.",
    ]
    package static let undo = UndoRule.impossible("What is erased is not kept anywhere.")
    package static let worksInClosedOrganizations = true
    package static let hasBulkForm = false
    package static let locksRoster = true
    package static let locksSignIns = true
    package static let mayChangeNothing = true

    /// How far the clock of the server that wrote a list may have been ahead, in seconds.
    static let clockTolerance: TimeInterval = 300
    /// For how many days nothing that is closed is erased.
    static let daysOfGrace = CloseOrganization.daysOfErasure.lowerBound

    package struct Item: Codable, Equatable, Sendable {
        /// The organization's id.
        package let organization: String
        package let number: Int64
        package let createdAt: Date
        package let erasedAt: Date

        package init(organization: String, number: Int64, createdAt: Date, erasedAt: Date) {
            self.organization = organization
            self.number = number
            self.createdAt = createdAt
            self.erasedAt = erasedAt
        }
    }

    /// What has become of the organization.
    package enum Outcome: String, Codable, CaseIterable, Sendable {
        /// It was closed again.
        case closed
        /// It was opened again.
        case reopened
        /// It was closed, and stays so. It is erased later than it would have been.
        case postponed
    }

    package struct Answer: Codable, Sendable {
        /// The name of the organization.
        package let organization: String
        /// Nil if it stays as it was.
        package let outcome: Outcome?
        /// The day from which on all of it is erased; nil if it is open.
        package let erasesOn: CalendarDay?
        /// The closings and reopenings that were ignored, because they are dated in the future.
        package let ahead: [ClosingRecord]
        /// The numbers of those who were erased now.
        package let erased: [Int64]
        /// How many of the list are erased already, or were not there yet when the copy was made.
        package let unneeded: Int
        /// The numbers that other people have now. Those are not erased.
        package let unrecognized: [Int64]
    }

    package let erasures: [Item]
    package let closings: [ClosingRecord]?

    package init(erasures: [Item], closings: [ClosingRecord]? = nil) {
        self.erasures = erasures
        self.closings = closings
    }

    package func carryOut(on organization: Organization, _: Void, in act: Act) throws -> Answer {
        let closings = closings ?? []
        for (field, organizations) in [
            ("erasures", erasures.map(\.organization)), ("closings", closings.map(\.organization)),
        ] {
            guard organizations.count <= 10_000 else {
                throw OperationError.invalid(field: field, reason: "are more than 10000")
            }
            guard organizations.allSatisfy({ $0 == organization.publicID }) else {
                throw OperationError.invalid(
                    field: field, reason: "are not all of \(organization.name): give the list of one organization")
            }
        }
        // Before people are erased, because apps heard of that last.
        let latest = act.now.addingTimeInterval(Self.clockTolerance)
        let outcome = try settle(organization, by: closings.filter { $0.at <= latest }, until: latest, in: act)
        let (erased, unneeded, unrecognized) = try erasePeople(of: organization, in: act)
        return Answer(
            organization: organization.name, outcome: outcome,
            erasesOn: try Organization.find(organization.id, in: act.transaction)?.closing?.erasesOn,
            ahead: closings.filter { $0.at > latest }, erased: erased, unneeded: unneeded, unrecognized: unrecognized)
    }

    /// Tells the apps of people who have left with a closing, as when the organization was closed first.
    package func followUp(on organization: Organization, _ followUp: FollowUp) async throws {
        guard !followUp.origin.isRequest else { return }
        try await followUp.tellOfDepartures()
    }

    // MARK: Closings

    private func settle(
        _ organization: Organization, by closings: [ClosingRecord], until latest: Date, in act: Act
    ) throws -> Outcome? {
        // What is erased to the end does not come back, and nothing is left to be closed.
        guard organization.closing?.erasedAt == nil else { return nil }
        let trail = try ClosingRecord.list(of: organization, in: act.transaction)
        // A reopening of a wrong clock would outrank every closing for years.
        let known = trail.filter { $0.action == .closed || $0.at <= latest }.newest
        guard let newest = closings.newest, !trail.has(newest), known.map(newest.outranks) != false else {
            return try postpone(organization, in: act)
        }
        switch newest.action {
        case .closed:
            try close(organization, again: newest, in: act)
            return .closed
        case .reopened:
            try reopen(organization, again: newest, in: act)
            return organization.closing == nil ? nil : .reopened
        }
    }

    /// The first day on which something closed may be erased.
    private func firstDay(_ act: Act) -> CalendarDay { CalendarDay(act.now).adding(days: Self.daysOfGrace) }

    private func close(_ organization: Organization, again closing: ClosingRecord, in act: Act) throws {
        let days = CloseOrganization.daysOfErasure
        let today = CalendarDay(act.now)
        let wanted = closing.erasesOn ?? today.adding(days: CloseOrganization.usualDays)
        let day = min(max(wanted, firstDay(act)), today.adding(days: days.upperBound))
        guard organization.closing == nil else {
            // It was opened and closed once more since. Its people have not signed in in this copy meanwhile, so that there
            // is nobody to tell.
            try organization.put(closedAt: closing.at, erasesOn: day, at: act.now, in: act.transaction)
            return try act.record(
                .organizationClosed, on: organization, called: organization.name,
                "\(closing.repetition)erased from \(day.text) on")
        }
        try act.close(
            try WholeOrganization(organization, at: act.now, in: act.transaction), erasingOn: day, again: closing,
            telling: try closing.appsAreTold != true || isInUse(organization, since: closing, in: act))
    }

    private func reopen(_ organization: Organization, again reopening: ClosingRecord, in act: Act) throws {
        if organization.closing != nil {
            // It could be opened only after all apps had been told.
            try act.endDepartures(
                of: organization, telling: try isInUse(organization, since: reopening, in: act))
            try organization.reopen(at: act.now, in: act.transaction)
        }
        // Also of one that is open in this copy, so that an older list does not close it.
        try act.record(
            .organizationReopened, on: organization, called: organization.name,
            "\(reopening.repetition)people sign in anew, and apps need new consents")
    }

    /// Whether anything has happened in this copy since, so that apps have got to know what they were not told about: a
    /// server ran with it before somebody brought the list.
    private func isInUse(_ organization: Organization, since record: ClosingRecord, in act: Act) throws -> Bool {
        try AuditRecord.isThere(of: organization.id, since: record.at, in: act.transaction)
    }

    private func postpone(_ organization: Organization, in act: Act) throws -> Outcome? {
        guard let closing = organization.closing, closing.erasesOn < firstDay(act) else { return nil }
        let day = firstDay(act)
        try organization.put(closedAt: closing.closedAt, erasesOn: day, at: act.now, in: act.transaction)
        let record = ClosingRecord(organization: organization.publicID, action: .closed, at: closing.closedAt)
        try act.record(
            .organizationClosed, on: organization, called: organization.name,
            "\(record.repetition)erased from \(day.text) on, because a copy was put in place")
        return .postponed
    }

    // MARK: People

    private func erasePeople(
        of organization: Organization, in act: Act
    ) throws -> (erased: [Int64], unneeded: Int, unrecognized: [Int64]) {
        var (erased, unneeded, unrecognized): ([Int64], Int, [Int64]) = ([], 0, [])
        for item in erasures.sorted(by: { $0.number < $1.number }) {
            let id = PersonID(rawValue: item.number)
            guard let person = try Person.find(id, in: act.transaction) else {
                unneeded += 1
                continue
            }
            guard person.organizationID == organization.id,
                Int(person.createdAt.timeIntervalSince1970) == Int(item.createdAt.timeIntervalSince1970)
            else {
                unrecognized.append(item.number)
                continue
            }
            // Nothing is left to do for a record that is erased, be it because it went a moment ago with the record
            // into which it had been merged. A record that is still merged goes with that one, further down in the
            // list.
            guard !person.isErased, try PersonMerge.destination(of: id, in: act.transaction) == nil else {
                unneeded += 1
                continue
            }
            try erase(person, in: act)
            erased.append(item.number)
        }
        if let last = erasures.map(\.number).max() {
            try Person.neverUse(upTo: PersonID(rawValue: last), in: act.transaction)
        }
        return (erased, unneeded, unrecognized)
    }

    private func erase(_ person: Person, in act: Act) throws {
        let erasure = PersonErasure(
            subject: try ErasableRecord(person, in: act.transaction), actor: act.actor, origin: act.origin,
            now: act.now, surroundings: act.surroundings, transaction: act.transaction, keepsAdministrator: false)
        let report = try erasure.carryOut()
        try act.record(
            .personErased, on: person, called: person.fullName, "again, \(report.detail)",
            mentioning: report.mentions)
    }
}
