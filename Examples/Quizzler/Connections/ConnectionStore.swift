import Foundation

/// All that Quizzler knows of organizations, in memory and in one JSON file. A change is written to disk before it
/// takes effect.
actor ConnectionStore {
    struct Contents: Codable, Sendable {
        /// By organization id.
        var connections: [String: Connection] = [:]
        /// Newest first.
        var notices: [Notice] = []

        private static let noticesMax = 20

        /// Deletes everything about an organization, and adds a notice. Does nothing if this connection has already
        /// ended or was replaced by another one.
        /// - Parameter visitorKey: The visitor who gets to see the notice; nil for the one who connected the
        ///   organization.
        /// - Returns: The notice.
        @discardableResult
        mutating func end(
            _ connection: Connection, at time: Date, notice message: String, for visitorKey: String? = nil
        ) -> Notice? {
            guard connections[connection.organizationID]?.id == connection.id else { return nil }
            connections[connection.organizationID] = nil
            let notice = Notice(id: UUID(), at: time, message: message, visitorKey: visitorKey ?? connection.visitorKey)
            notices = Array(([notice] + notices).prefix(Self.noticesMax))
            return notice
        }
    }

    private let file: JSONFile
    private(set) var contents: Contents

    /// Creates the folder if it does not exist.
    init(folder: URL) throws {
        file = try JSONFile("quizzler.json", in: folder)
        contents = try file.read(Contents.self) ?? Contents()
    }

    /// Connections by name of the organization.
    var connections: [Connection] {
        contents.connections.values.sorted {
            inReadingOrder($0.organizationName, $1.organizationName, then: $0.organizationID < $1.organizationID)
        }
    }

    func connection(_ organizationID: String) -> Connection? {
        contents.connections[organizationID]
    }

    /// Changes the contents. If the change or writing it fails, nothing is changed.
    @discardableResult
    func update<Result: Sendable>(_ change: @Sendable (inout Contents) throws -> Result) throws -> Result {
        var changed = contents
        let result = try change(&changed)
        try file.write(changed)
        contents = changed
        return result
    }
}
