/// A record that an import has touched, and a later one after it, so that the earlier one cannot be taken back alone.
package struct TouchedRecord: Codable, Equatable, Hashable, Sendable {
    package enum Kind: String, Codable, CaseIterable, Sendable {
        case location
        /// The roles belong to it.
        case person
        case course
        case `class`
        /// That a student or an instructor is in a class.
        case membership
    }

    package let kind: Kind
    /// Its id in the files, of a membership that of the person. A record that has none is named by what else it has: a
    /// person by the user name, a location by `LO:` and its number, a class by `CL-` and its number.
    package let id: String
    /// The class of a membership, by its id in the files; nil for other records.
    package let classID: String?
    /// The later import.
    package let importID: Int

    package init(_ kind: Kind, _ id: String, in classID: String? = nil, importID: Int) {
        self.kind = kind
        self.id = id
        self.classID = classID
        self.importID = importID
    }
}

extension TouchedRecord: CustomStringConvertible {
    package var description: String {
        classID.map { "the membership of \(id) in \($0)" } ?? "\(kind.rawValue) \(id)"
    }
}
