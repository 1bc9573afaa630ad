import Administration
import Authorization
import Directory
import Fixtures
import Foundation
import Storage

extension Example {
    /// About an app of which nothing was decided.
    package static let sharing: [Example] = [
        .inquiry({ _ in ShowSharing(app: quizzler) }, after: makeApp),
        .inquiry({ _ in ViewAsApp(app: quizzler, call: "users") }, after: makeApp),
        .change({ _ in SetSharing.students }, after: makeApp),
        .change({ LeaveOut(app: quizzler, people: [$0]) }, after: makeApp),
        .change({ PutBack(app: quizzler, people: [$0]) }) { scene, person in
            try await makeApp(scene, person)
            _ = try await scene.operator.perform(
                LeaveOut(app: quizzler, people: [PersonReference(person.id)]), in: scene.maple)
        },
    ]

    package static let quizzler = AppReference("Quizzler")

    private static let makeApp: Prepare = { scene, _ in
        _ = try await scene.insertApp()
    }
}

extension SetSharing {
    /// The pupils of the first place, without their addresses.
    package static var students: SetSharing {
        var change = SetSharing(app: Example.quizzler)
        change.locations = [LocationReference("Maple District Main")]
        change.roles = [.student]
        change.withheld = [.email]
        return change
    }
}

/// Answers each call with itself, because the Roster API is no part of these tests.
package struct CallEcho: RosterViewing {
    package func answer(to call: String, as seer: RosterSeer, in transaction: ReadTransaction) -> RosterSight {
        RosterSight(body: call, people: [])
    }
}

extension Scene {
    /// All rules of all apps, but for the time when they were changed.
    package static func sharing(in transaction: some Transaction) throws -> [String] {
        try transaction.all(
            """
            SELECT limits_locations + 2 * limits_grades + 4 * limits_classes AS limits, roles, withheld,
                (SELECT COUNT(*) FROM sharing_location) AS locations, (SELECT COUNT(*) FROM sharing_grade) AS grades,
                (SELECT COUNT(*) FROM sharing_class) AS classes, (SELECT COUNT(*) FROM sharing_left_out) AS left_out
            FROM sharing_rules ORDER BY id
            """
        ) { row in
            let sets = [
                try row["limits"] as Int, try row["locations"], try row["grades"], try row["classes"],
                try row["left_out"],
            ]
            return "\(sets) \(try row["roles"] as String?) \(try row["withheld"] as String)"
        }
    }
}
