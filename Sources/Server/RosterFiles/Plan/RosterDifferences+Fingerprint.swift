import Crypto
import Directory
import Foundation
import Ground
import Storage

extension RosterDifferences {
    /// What the id of a plan for single schools depends on; empty for the whole organization. Call after comparing.
    ///
    /// It is not the state of the whole organization: otherwise the imports of the other schools, night after night,
    /// would void each approval before somebody could give it.
    func schoolParts(_ identities: IdentityChanges) throws -> [String] {
        guard !scope.isWhole else { return [] }
        let identities = try JSONEncoder.stable.encode(identities)
        return [
            "schools \(scope.ids.map { "\($0.rawValue)" }.joined(separator: " "))", try fingerprint(),
            String(decoding: identities, as: UTF8.self),
        ]
    }

    /// SHA-256 over what the plan would do and to which records, in hexadecimal.
    private func fingerprint() throws -> String {
        var hash = SHA256()
        func add(_ table: String, _ columns: [String], joining join: String = "") throws {
            let row = columns.map { "COALESCE(CAST(\($0) AS TEXT), '-')" }.joined(separator: " || ' ' || ")
            hash.update(data: Data("\(table)\n".utf8))
            try transaction.forEach("SELECT \(row) AS line FROM \(table) AS d \(join) ORDER BY 1") { row in
                hash.update(data: Data("\(try row["line"] as String)\n".utf8))
            }
        }
        for table in ["known_location", "known_course", "known_class"] { try add(table, ["d.line", "d.id"]) }
        for table in ["known_person", "replaced_person"] { try add(table, ["d.n", "d.id"]) }
        // What the records are before the plan is part of it too.
        for (record, row) in [("location", "line"), ("person", "n"), ("course", "line"), ("class", "line")] {
            try add(
                "\(record)_difference", ["d.id", "d.\(row)", "d.effect", "r.modified_at"],
                joining: "JOIN \(record) AS r ON r.id = d.id")
        }
        try add(
            "role_difference",
            ["d.person_id", "d.n", "d.location_id", "d.location", "d.role", "d.position", "d.effect"])
        try add("instructor_difference", ["d.class_id", "d.person_id", "d.n", "d.position", "d.effect"])
        try add("membership_difference", ["d.class_id", "d.person_id", "d.n", "d.line", "d.effect"])
        return Array(hash.finalize()).hexadecimal
    }
}
