import Storage

/// The internal key of a record. It never leaves the server unchanged: organizations have a UUID, locations and classes
/// a prefix, people an id for each team.
package protocol RecordID: RawRepresentable, Hashable, Comparable, Sendable, SQLConvertible where RawValue == Int64 {
    init(rawValue: Int64)
}

extension RecordID {
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Less than every id, to begin a listing at its first page.
    package static var none: Self { Self(rawValue: 0) }
}

package struct OrganizationID: RecordID {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

package struct LocationID: RecordID {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

package struct PersonID: RecordID {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

package struct CourseID: RecordID {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

package struct ClassID: RecordID {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
}
