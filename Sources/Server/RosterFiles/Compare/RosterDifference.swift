/// In what two sets of the six files differ.
package struct RosterDifference: Codable, Equatable, Sendable {
    /// Rows of one file, recognized by their id.
    package struct Counts: Codable, Equatable, Sendable {
        package internal(set) var added = 0
        package internal(set) var removed = 0
        package internal(set) var changed = 0
        package internal(set) var unchanged = 0
    }

    package enum Kind: String, Codable, CaseIterable, Sendable {
        case added
        case removed
        case changed
    }

    /// A row that is in one set only, or that differs.
    package struct Row: Codable, Equatable, Sendable {
        package let file: RosterFile
        package let kind: Kind
        /// The id of the row. Memberships are recognized by class and student, because their own ids are often made anew: it
        /// is `class_id student_id`.
        package let id: String
        /// The line in the later files, or in the earlier ones for a row that was removed.
        package let line: Int
        /// The columns that differ, by name; empty unless the row has changed.
        package internal(set) var columns: [Column] = []
    }

    /// A value that differs; nil on a side means that the cell is blank. Columns that can be repeated have all their values,
    /// separated by spaces.
    package struct Column: Codable, Equatable, Sendable {
        package let name: String
        package let before: String?
        package let after: String?
    }

    /// By the name of the file, without its ending.
    package internal(set) var counts: [String: Counts] = [:]
    /// The first rows that differ, in the order of the files; at most as many as were asked for.
    package internal(set) var rows: [Row] = []
}
