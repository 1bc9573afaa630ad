import Directory
import Storage

/// Ends a term: its classes are archived, school by school.
package struct CloseTerm: ForeseenChange {
    package typealias Answer = TermRecord

    package static let name = "term.close"
    package static let summary = "Ends a term: its classes are archived. They keep their members."
    package static let privilege = Privilege.manageClasses
    package static let route = OperationRoute(.post, "terms/{term}/close")
    package static let explanations = ["term": TermReference.explanation]
    package static let undo = UndoRule.possible

    package let term: TermReference

    package init(term: TermReference) { self.term = term }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Term {
        try term.find(in: context.organizationToChange(transaction), transaction)
    }

    package func foresee(
        on term: Term, in context: OperationContext, _ transaction: ReadTransaction
    ) throws -> [Effect] {
        try check(term)
        let count = try term.livingClasses(limit: Term.foreseenMax + 1, in: transaction)
        return try term.effects(of: "closed", "archived", count, transaction) { try term.livingPlaces(in: transaction) }
    }

    private func check(_ term: Term) throws {
        guard term.closedAt == nil else { throw OperationError.refused("\(term.name) is closed already.") }
    }

    package func carryOut(on term: Term, _: Void, in act: Act) throws -> TermRecord {
        try check(term)
        let places = try term.livingPlaces(in: act.transaction)
        try term.close(at: act.now, in: act.transaction)
        try act.record(.termChanged, on: term, called: term.name, "closed")
        try act.record(places, of: term, "archived")
        act.undo(by: ReopenTerm(term: TermReference(term.name)))
        return try TermRecord(term, in: act.transaction)
    }
}

/// Opens a closed term again, with the classes that were archived when it was closed.
package struct ReopenTerm: ForeseenChange {
    package typealias Answer = TermRecord

    package static let name = "term.reopen"
    package static let summary = "Opens a closed term again, and restores the classes that were archived with it."
    package static let privilege = Privilege.manageClasses
    package static let route = OperationRoute(.post, "terms/{term}/reopen")
    package static let explanations = ["term": TermReference.explanation]
    package static let undo = UndoRule.possible

    package let term: TermReference

    package init(term: TermReference) { self.term = term }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Term {
        try term.find(in: context.organizationToChange(transaction), transaction)
    }

    package func foresee(
        on term: Term, in context: OperationContext, _ transaction: ReadTransaction
    ) throws -> [Effect] {
        try check(term, in: transaction)
        let count = try term.closedClasses(limit: Term.foreseenMax + 1, in: transaction)
        return try term.effects(of: "reopened", "restored", count, transaction) {
            try term.closedPlaces(in: transaction)
        }
    }

    private func check(_ term: Term, in transaction: some Transaction) throws {
        guard term.closedAt != nil else { throw OperationError.refused("\(term.name) is not closed.") }
        if let place = term.location, try Location.find(place, in: term.organizationID, transaction) == nil {
            throw OperationError.refused(
                "The location of \(term.name) was removed. Restore it first.",
                remedy: .init(RestoreLocation.name, "LO:\(place.rawValue)"))
        }
        // As with a single class that is restored.
        if let found = try Location.archived(of: term, in: transaction) {
            throw OperationError.refused(
                """
                Classes of \(term.name), or their courses, are at \(found.location.name), which was removed: \
                CL-\(found.class.rawValue), for one. Restore the location first, or move or remove those classes.
                """, remedy: .init(RestoreLocation.name, "LO:\(found.location.id.rawValue)"))
        }
    }

    package func carryOut(on term: Term, _: Void, in act: Act) throws -> TermRecord {
        try check(term, in: act.transaction)
        let places = try term.closedPlaces(in: act.transaction)
        try term.reopen(at: act.now, in: act.transaction)
        try act.record(.termChanged, on: term, called: term.name, "reopened")
        try act.record(places, of: term, "restored")
        act.undo(by: CloseTerm(term: TermReference(term.name)))
        return try TermRecord(term, in: act.transaction)
    }
}

/// The classes of a term at one place.
private struct TermPlace: OperationSubject {
    let organization: OrganizationID
    let location: LocationID?

    var subjectOrganization: OrganizationID? { organization }
    var auditName: String {
        location.map { "location:\($0.rawValue)" } ?? "organization:\(organization.rawValue)"
    }

    func isOpen(to authority: Authority, for privilege: Privilege, in transaction: some Transaction) -> Bool {
        authority.has(privilege, at: location)
    }
}

extension Act {
    /// One entry for each school, with the ids of its classes.
    fileprivate func record(_ places: [Term.Place], of term: Term, _ change: String) throws {
        for place in places {
            try record(
                .classChanged, on: TermPlace(organization: term.organizationID, location: place.location),
                called: term.nameOfPlace(place, in: transaction), place.text(change))
        }
    }
}

extension Term {
    /// The most classes that a preview tells school by school. Of more it says only that there are more.
    fileprivate static let foreseenMax = 1_000

    /// What ``CloseTerm`` and ``ReopenTerm`` would record.
    /// - Parameters:
    ///   - count: how many classes it concerns; more than ``foreseenMax`` if they are more.
    ///   - places: finds them.
    fileprivate func effects(
        of change: String, _ outcome: String, _ count: Int, _ transaction: some Transaction,
        on places: () throws -> [Place]
    ) throws -> [Effect] {
        let changed = Effect(.termChanged, on: self, called: name, change)
        guard count <= Self.foreseenMax else {
            return [
                changed,
                Effect(.classChanged, on: self, called: name, "more than \(Self.foreseenMax) classes \(outcome)"),
            ]
        }
        return [changed]
            + (try places().map { place in
                Effect(
                    .classChanged, on: TermPlace(organization: organizationID, location: place.location),
                    called: try nameOfPlace(place, in: transaction), place.text(outcome))
            })
    }

    fileprivate func nameOfPlace(_ place: Place, in transaction: some Transaction) throws -> String {
        try place.location.flatMap { try Location.find($0, in: organizationID, transaction)?.name }
            ?? "the whole organization"
    }
}

extension Term.Place {
    fileprivate func text(_ change: String) -> String {
        let ids = classes.map { "CL-\($0.rawValue)" }.joined(separator: " ")
        return "\(classes.count) \(classes.count == 1 ? "class" : "classes") \(change): \(ids)"
    }
}
