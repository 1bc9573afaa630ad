import Authorization
import Directory
import Storage

/// Leaves single people out of what an app sees.
package struct LeaveOut: Change {
    package typealias Answer = SharingRecord

    package static let name = "sharing.leave-out"
    package static let summary = "Leaves single people out of all that an app sees, whatever else is decided for it."
    package static let privilege = Privilege.shareData
    package static let route = OperationRoute(.post, "apps/{app}/sharing/leave-out", bodyBytesMax: 1 << 20)
    package static let explanations = [
        "app": AppReference.explanation,
        "people": "The people: user names, person ids, or numbers, such as `PE-12`.",
    ]
    package static let undo = UndoRule.possible
    package static let hasBulkForm = false

    static let peopleMax = 10_000

    package let app: AppReference
    package let people: [PersonReference]

    package init(app: AppReference, people: [PersonReference]) {
        self.app = app
        self.people = people
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> SharedApp {
        try app.findSharedToChange(in: context, transaction)
    }

    package func carryOut(on shared: SharedApp, _: Void, in act: Act) throws -> SharingRecord {
        var rules = try shared.rules(in: act.transaction)
        let new = try act.people(people, of: shared.organization).subtracting(rules.leftOut)
        guard !new.isEmpty else { throw OperationError.refused("They are left out already.") }
        rules.leftOut.formUnion(new)
        try act.share(rules, with: shared)
        act.undo(by: PutBack(app: AppReference(shared.app.id), people: new.sorted().map { PersonReference($0) }))
        return try SharingRecord(shared, for: act.context.authority, at: act.now, in: act.transaction)
    }
}

/// Takes it back that people are left out.
package struct PutBack: Change {
    package typealias Answer = SharingRecord

    package static let name = "sharing.put-back"
    package static let summary = "Lets an app see people again who were left out, as far as the other rules do."
    package static let privilege = Privilege.shareData
    package static let route = OperationRoute(.post, "apps/{app}/sharing/put-back", bodyBytesMax: 1 << 20)
    package static let explanations = LeaveOut.explanations
    package static let undo = UndoRule.possible
    package static let hasBulkForm = false

    package let app: AppReference
    package let people: [PersonReference]

    package init(app: AppReference, people: [PersonReference]) {
        self.app = app
        self.people = people
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> SharedApp {
        try app.findSharedToChange(in: context, transaction)
    }

    package func carryOut(on shared: SharedApp, _: Void, in act: Act) throws -> SharingRecord {
        var rules = try shared.rules(in: act.transaction)
        let back = try act.people(people, of: shared.organization).intersection(rules.leftOut)
        guard !back.isEmpty else { throw OperationError.refused("None of them is left out.") }
        rules.leftOut.subtract(back)
        try act.share(rules, with: shared)
        act.undo(by: LeaveOut(app: AppReference(shared.app.id), people: back.sorted().map { PersonReference($0) }))
        return try SharingRecord(shared, for: act.context.authority, at: act.now, in: act.transaction)
    }
}

extension Act {
    /// - Throws: ``OperationError`` unless all of them belong to the organization.
    fileprivate func people(_ references: [PersonReference], of organization: Organization) throws -> Set<PersonID> {
        guard !references.isEmpty else { throw OperationError.invalid(field: "people", reason: "are missing") }
        guard references.count <= LeaveOut.peopleMax else {
            throw OperationError.invalid(field: "people", reason: "are more than \(LeaveOut.peopleMax) at once")
        }
        return Set(
            try references.map { reference in
                let person = try reference.find(in: context, transaction)
                guard person.organizationID == organization.id else {
                    throw OperationError.notFound(.person, reference.text, in: organization.name)
                }
                return person.id
            })
    }
}
