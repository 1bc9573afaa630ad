/// A person id that the files may have given to another person than the owner of the account with this id.
///
/// Account, password, the data that apps keep, and the id by which apps know the person would all pass to somebody
/// else.
package struct IdentityChange: Codable, Equatable, Sendable {
    package enum Doubt: String, Codable, CaseIterable, Sendable {
        /// First and family name both differ, and no other field suggests the same person; or family name and person
        /// number differ, and nothing but the first name suggests it; or the row has exactly the name that another
        /// account loses in the same import.
        case anotherPerson = "another_person"
        /// The first name differs and no other field explains it; or both names differ while another field suggests the
        /// same person; or the family name differs while user name or address suggest another person. A few of these do
        /// not hold an import. Many do, because a column may have shifted.
        case renamed
    }

    package let doubt: Doubt
    package let file: String
    package let line: Int
    package let personID: String
    /// The name that the account has.
    package let formerName: String
    /// The name in the row.
    package let name: String
    /// Whether another account loses exactly this name in the same import.
    package let isAnothersName: Bool
    /// Columns that are filled in both the account and the row, with equal values.
    package let agreeing: [String]
    /// Columns that are filled in both, with different values.
    package let differing: [String]
}

/// Person ids that an import may give to other people.
package struct IdentityChanges: Codable, Equatable, Sendable {
    package static let listedMax = 1_000

    package internal(set) var anotherPerson = 0
    package internal(set) var renamed = 0
    /// The number of ids that pass to new accounts because the caller asked for it: see `newPeople` of
    /// ``RosterImporter/run(organization:from:limits:mode:newPeople:term:schools:actor:origin:progress:onHeld:)``.
    package internal(set) var passedOn = 0
    /// The number of rows whose ids were those of people who were erased. They would become new people.
    package internal(set) var erased = 0
    /// The first ``listedMax`` in the order of the files, where a change to another person takes precedence over a
    /// renaming.
    package internal(set) var listed: [IdentityChange] = []

    package init() {}

    package var isEmpty: Bool { anotherPerson + renamed == 0 }

    mutating func count(_ change: IdentityChange) {
        switch change.doubt {
        case .anotherPerson: anotherPerson += 1
        case .renamed: renamed += 1
        }
        // When the list is full, a change to another person replaces a mere renaming.
        if listed.count < Self.listedMax {
            listed.append(change)
        } else if change.doubt == .anotherPerson, let last = listed.lastIndex(where: { $0.doubt == .renamed }) {
            listed.remove(at: last)
            listed.append(change)
        }
    }

    mutating func finish() {
        listed = listed.filter { $0.doubt == .anotherPerson } + listed.filter { $0.doubt == .renamed }
    }
}
