/// A person id that the files give to what may be another person than the one whose account it names.
///
/// Account, password, what apps keep and the id by which they know the person would all pass to somebody else.
package struct IdentityChange: Codable, Equatable, Sendable {
    package enum Doubt: String, Codable, Sendable {
        /// First and family name are both others, and nothing else speaks for the same person; or the family name and the
        /// person number are, and nothing else but the first name does; or the row has exactly the name that another account
        /// loses in the same import.
        case anotherPerson = "another_person"
        /// Another first name that no further field explains, or both names while a further field speaks for the same
        /// person, or another family name while user name or address speak against the same person. One alone is no reason to wait: many are, as when a column has shifted.
        case renamed
    }

    package let doubt: Doubt
    package let file: String
    package let line: Int
    package let personID: String
    /// Of the account.
    package let formerName: String
    /// Of the row.
    package let name: String
    /// Whether another account loses exactly this name in the same import.
    package let isAnothersName: Bool
    /// Columns that the account and the row both fill, and that say the same.
    package let agreeing: [String]
    /// Columns that the account and the row both fill, and that differ.
    package let differing: [String]
}

/// What an import would do to who is who.
package struct IdentityChanges: Codable, Equatable, Sendable {
    package static let listedMax = 1_000

    package internal(set) var anotherPerson = 0
    package internal(set) var renamed = 0
    /// Ids that pass to new accounts, as the caller asked for: see ``RosterImporter/run(organization:from:limits:mode:newPeople:actor:origin:progress:)``.
    package internal(set) var passedOn = 0
    /// The first ``listedMax`` in the order of the files, those who look like other people before the others.
    package internal(set) var listed: [IdentityChange] = []

    package init() {}

    package var isEmpty: Bool { anotherPerson + renamed == 0 }

    mutating func count(_ change: IdentityChange) {
        switch change.doubt {
        case .anotherPerson: anotherPerson += 1
        case .renamed: renamed += 1
        }
        // Those who look like other people push the others out.
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
