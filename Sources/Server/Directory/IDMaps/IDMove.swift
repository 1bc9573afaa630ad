import Storage

/// A record that gets the id by which another information system knows it.
package struct IDMove: Codable, Equatable, Sendable {
    /// The raw values are the names of the tables.
    package enum Kind: String, Codable, CaseIterable, Sendable, SQLConvertible {
        case location
        case person
        case course
        case `class`
    }

    package let kind: Kind
    /// The id by which the files of the former system name the record.
    package let old: String
    package let new: String

    package init(_ kind: Kind, from old: String, to new: String) {
        self.kind = kind
        self.old = old
        self.new = new
    }
}

/// Why one of the moves of a map cannot be made.
package enum IDMoveProblem: Equatable, Sendable {
    /// No record of the organization has the old id.
    case unknown
    /// Another move has the same old id.
    case movedTwice
    /// Another move has the same new id.
    case givenTwice
    /// The record with this number has the new id, and keeps it.
    case taken(by: Int64)
    /// The reason completes the sentence “The new id …”.
    case invalid(reason: String)
}

extension IDMove {
    /// A sentence for people.
    package func text(of problem: IDMoveProblem) -> String {
        switch problem {
        case .unknown: "There is no \(kind.rawValue) with the id “\(old)”."
        case .movedTwice: "The \(kind.rawValue) “\(old)” is in the map more than once."
        case .givenTwice: "The map gives “\(new)” to more than one \(kind.rawValue)."
        case .taken(let number):
            "“\(new)” is the id of another \(kind.rawValue), \(kind.name(of: number)), which does not move."
        case .invalid(let reason): "The new id “\(new)” of “\(old)” \(reason)."
        }
    }
}

extension IDMove.Kind {
    /// The number of a record in the form in which administrators see it.
    package func name(of number: Int64) -> String {
        switch self {
        case .location: "LO:\(number)"
        case .person: "PE-\(number)"
        case .course: "number \(number)"
        case .class: "CL-\(number)"
        }
    }

    package func counted(_ count: Int) -> String {
        let noun =
            switch self {
            case .location: count == 1 ? "location" : "locations"
            case .person: count == 1 ? "person" : "people"
            case .course: count == 1 ? "course" : "courses"
            case .class: count == 1 ? "class" : "classes"
            }
        return "\(count) \(noun)"
    }
}
