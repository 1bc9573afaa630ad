import Foundation
import Storage

extension RosterClass {
    /// The name by which people call the class.
    package var visibleName: String { displayName ?? name }

    /// The names of the classes in which somebody learns, in the order in which people look them up. Archived classes
    /// do not count.
    package static func names(of student: PersonID, in transaction: some Transaction) throws -> [String] {
        try transaction.all(
            """
            SELECT COALESCE(class.display_name, class.name) FROM class_student
            JOIN class ON class.id = class_student.class_id
            WHERE class_student.person_id = $1 AND class.archived_at IS NULL
            """, [student]
        ) { try $0[0] as String }
        .sorted { $0.compare($1, options: [.caseInsensitive, .numeric]) == .orderedAscending }
    }
}
