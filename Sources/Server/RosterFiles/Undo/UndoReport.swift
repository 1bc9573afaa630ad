/// What undoing an import did.
package struct UndoReport: Codable, Equatable, Sendable {
    package struct Counts: Codable, Equatable, Sendable {
        /// Records that the import had added. People are deactivated, locations, courses and classes archived,
        /// memberships removed.
        package var withdrawn = 0
        /// Records that the import had changed, deactivated or removed, and that were restored.
        package var restored = 0
    }

    package let importID: Int
    package internal(set) var locations = Counts()
    package internal(set) var people = Counts()
    package internal(set) var courses = Counts()
    package internal(set) var classes = Counts()
    package internal(set) var memberships = Counts()
}
