import Authorization
import Directory
import Storage

/// Decides which places, grades, roles, classes and fields an app sees, in place of what was decided before.
package struct SetSharing: Change {
    package typealias Answer = SharingRecord

    package static let name = "sharing.set"
    package static let summary = """
        Decides which places, grades, roles, classes and fields an app sees, in place of what was decided before. What \
        is left out is not limited.
        """
    package static let privilege = Privilege.shareData
    package static let route = OperationRoute(.post, "apps/{app}/sharing", bodyBytesMax: 1 << 20)
    package static let explanations = [
        "app": AppReference.explanation,
        "locations": "The locations whose roles and classes it sees: ids or names.",
        "organizationItself":
            "Whether roles that are held at the organization itself, and classes without a location, are seen too.",
        "grades": "The grades whose pupils it sees.",
        "roles": "The roles that it sees.",
        "classes": "The classes that it sees, and whose members: class ids, exact names, or `CL-` and a number.",
        "withheld": "The fields that it does not get.",
    ]
    package static let undo = UndoRule.possible
    package static let hasBulkForm = false

    package let app: AppReference
    package var locations: [LocationReference]?
    package var organizationItself: Bool?
    package var grades: [String]?
    package var roles: [RosterRole]?
    package var classes: [ClassReference]?
    package var withheld: [SharedField]?

    package init(app: AppReference) { self.app = app }

    /// What brings these rules back.
    private init(_ rules: SharingRules, for app: AppID) {
        self.init(app: AppReference(app))
        locations = rules.locations.map { $0.subtracting([.none]).sorted().map { LocationReference($0) } }
        organizationItself = rules.locations.map { $0.contains(.none) }
        grades = rules.grades?.sorted()
        roles = rules.roles.map { roles in RosterRole.allCases.filter(roles.contains) }
        classes = rules.classes.map { $0.sorted().map { ClassReference($0) } }
        withheld = SharedField.allCases.filter(rules.withheld.contains)
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> SharedApp {
        try app.findSharedToChange(in: context, transaction)
    }

    package func carryOut(on shared: SharedApp, _: Void, in act: Act) throws -> SharingRecord {
        let old = try shared.rules(in: act.transaction)
        let new = try rules(of: shared.organization, leavingOut: old.leftOut, in: act)
        guard new != old else { throw OperationError.refused("This is what \(shared.app.name) is shown already.") }
        try act.share(new, with: shared)
        act.undo(by: SetSharing(old, for: shared.app.id))
        return try SharingRecord(shared, for: act.context.authority, at: act.now, in: act.transaction)
    }

    private func rules(
        of organization: Organization, leavingOut leftOut: Set<PersonID>, in act: Act
    ) throws -> SharingRules {
        var rules = SharingRules(
            roles: roles.map { Set($0) }, withheld: Set(withheld ?? []), leftOut: leftOut)
        guard locations != nil || organizationItself != false else {
            throw OperationError.invalid(
                field: "organizationItself", reason: "limits nothing by itself: name the locations too, or none")
        }
        if locations != nil || organizationItself == true {
            rules.locations = Set(
                try (locations ?? []).map { try $0.findAlsoArchived(in: organization, act.transaction).id }
                    + (organizationItself == true ? [.none] : []))
        }
        rules.grades = try grades.map { grades in
            Set(
                try grades.map { grade in
                    guard !grade.isEmpty else { throw OperationError.invalid(field: "grade", reason: "is missing") }
                    return try FieldRule.short.check(grade, field: "grade")
                })
        }
        rules.classes = try classes.map { classes in
            Set(try classes.map { try $0.find(in: organization, expectingArchived: false, act.transaction).id })
        }
        return rules
    }
}
