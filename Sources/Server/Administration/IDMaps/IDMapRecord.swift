import Directory
import Storage

/// An id map, as administrators see it.
package struct IDMapRecord: Codable, Equatable, Sendable {
    /// Its number.
    package let map: Int64
    /// How many records of each kind have got other ids.
    package let people: Int
    package let classes: Int
    package let courses: Int
    package let locations: Int

    init(_ map: IDMap, _ counts: [IDMove.Kind: Int]) {
        self.map = map.id
        people = counts[.person] ?? 0
        classes = counts[.class] ?? 0
        courses = counts[.course] ?? 0
        locations = counts[.location] ?? 0
    }
}

extension [IDMove.Kind: Int] {
    /// `2 locations, 40 people`, for the audit trail.
    var text: String {
        IDMove.Kind.allCases.compactMap { kind in self[kind].map(kind.counted) }.joined(separator: ", ")
    }
}
