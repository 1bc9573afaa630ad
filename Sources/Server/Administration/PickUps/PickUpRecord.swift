import Directory
import Foundation
import RosterFiles
import Storage

/// What administrators see of a pick-up.
package struct PickUpRecord: Codable, Equatable, Sendable, Versioned {
    /// Its number.
    package let pickUp: Int64
    /// `LO:` and the number of the school whose files they are; nil for files of the whole organization.
    package let schoolID: String?
    package let school: String?
    /// The hour of the day at which it is read, in UTC.
    package let hour: Int
    /// The key with which files are sent by SFTP; nil if they come otherwise.
    package let key: String?
    /// What the account for SFTP is called.
    package let account: String
    /// The folder that is read; nil as long as the server has none for files that are picked up.
    package let folder: String?
    package let dueAt: Date
    package let readAt: Date?
    package let outcome: RosterPickUp.Outcome?
    /// How many errors the files had.
    package let errors: Int
    /// See ``OperationSubject/version(in:)``.
    package let version: String

    init(_ found: RosterPickUp, _ services: AdministrationServices, in transaction: some Transaction) throws {
        pickUp = found.id
        schoolID = found.location.map { LocationReference($0).text }
        school = try found.location.flatMap { try Location.find($0, in: found.organization, transaction)?.name }
        hour = found.hour
        key = found.publicKey
        account = found.name
        folder = services.folder(of: found)
        dueAt = found.dueAt
        readAt = found.readAt
        outcome = found.outcome
        errors = found.errorCount
        version = found.version
    }
}

/// What has come of reading a pick-up.
package struct PickUpReport: Codable, Equatable, Sendable {
    /// What the import has found; nil if it was not begun.
    package let report: ImportReport?
    /// Why it was not; a sentence for people.
    package let problem: String?
}

extension AdministrationServices {
    /// Where the files of a pick-up lie. The account for SFTP may write there, and nowhere above.
    func folder(of pickUp: RosterPickUp) -> String? { pickUpFolder.map { "\($0)/\(pickUp.name)/files" } }

    /// What the reports of a pick-up are sealed for.
    static func purpose(of pickUp: RosterPickUp) -> String { "roster_pick_up \(pickUp.id)" }
}
