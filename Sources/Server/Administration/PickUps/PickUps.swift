import Directory
import Foundation
import RosterFiles
import Storage

/// Lists the folders that the server reads once a day.
package struct ListPickUps: Inquiry {
    package static let name = "pick-up.list"
    package static let summary = "Lists the folders whose files the server imports once a day."
    package static let worksInSandboxes = false
    package static let privilege = Privilege.importRoster
    package static let route = OperationRoute(.get, "pick-ups")
    package static let explanations: [String: String] = [:]

    package struct Answer: Codable, Sendable {
        package let pickUps: [PickUpRecord]
        /// The folder of the server in which all of them are; nil if it has none, and nothing is read.
        package let folder: String?
    }

    package init() {}

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Organization {
        try context.requiredOrganization(transaction)
    }

    package func answer(
        about organization: Organization, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        Answer(
            pickUps: try RosterPickUp.list(of: organization.id, in: transaction).map {
                try PickUpRecord($0, context.services, in: transaction)
            }, folder: context.services.pickUpFolder)
    }
}

/// Shows a pick-up, with what has come of it the last time.
package struct ShowPickUp: Inquiry {
    package static let name = "pick-up.show"
    package static let summary =
        "Shows a folder whose files are imported once a day, and what came of it the last time."
    package static let worksInSandboxes = false
    package static let privilege = Privilege.importRoster
    package static let route = OperationRoute(.get, "pick-ups/{pickUp}")
    package static let explanations = ["pickUp": "Its number."]
    package static let isAboutEverybody = true

    package struct Answer: Codable, Sendable, Versioned {
        package let pickUp: PickUpRecord
        /// Nil if it was never read.
        package let last: PickUpReport?

        package var version: String { pickUp.version }
    }

    package let pickUp: Int64

    package init(pickUp: Int64) { self.pickUp = pickUp }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> Organization {
        try context.requiredOrganization(transaction)
    }

    package func answer(
        about organization: Organization, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        let found = try RosterPickUp.find(pickUp, in: organization, transaction)
        let services = context.services
        return Answer(
            pickUp: try PickUpRecord(found, services, in: transaction),
            last: try found.sealedReport(in: transaction).map {
                try JSONDecoder.administration.decode(
                    PickUpReport.self, from: try services.opened($0, for: AdministrationServices.purpose(of: found)))
            })
    }
}

/// Sets up that the files of a folder are imported once a day, or changes when.
package struct SetPickUp: Change {
    package typealias Answer = PickUpRecord

    package static let name = "pick-up.set"
    package static let summary = """
        Has the server import the files of a folder once a day: those of the whole organization, or of one school.
        """
    package static let privilege = Privilege.importRoster
    package static let route = OperationRoute(.post, "pick-ups")
    package static let explanations = [
        "school": "The school whose files they are: its id, number or name. The whole organization if it is left out.",
        "hour": "The hour of the day at which the folder is read, in UTC, from 0 to 23.",
        "key": """
        The public key with which the information system sends files by SFTP, as OpenSSH writes it: `ssh-ed25519 AAAA…`. \
        None if they come otherwise.
        """,
    ]
    package static let worksInSandboxes = false
    package static let undo = UndoRule.possible
    package static let hasBulkForm = false

    package let school: LocationReference?
    package let hour: Int
    package let key: String?

    package init(school: LocationReference? = nil, hour: Int, key: String? = nil) {
        self.school = school
        self.hour = hour
        self.key = key
    }

    /// What makes it again as it was.
    init(restoring former: RosterPickUp) {
        self.init(
            school: former.location.map { LocationReference($0) }, hour: former.hour, key: former.publicKey)
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> PickUpPlace {
        try PickUpPlace(school, in: try context.organizationToChange(transaction), transaction)
    }

    package func carryOut(on place: PickUpPlace, _: Void, in act: Act) throws -> PickUpRecord {
        let (organization, location) = (place.organization, place.location)
        guard (0...23).contains(hour) else {
            throw OperationError.invalid(field: "hour", reason: "is not between 0 and 23")
        }
        let key = try key.map { try PublicKeyText($0).text }
        _ = try school?.findSchool(in: organization, act.transaction)
        let found: RosterPickUp
        let remark: String
        if let former = place.former {
            guard former.hour != hour || former.publicKey != key else {
                throw OperationError.refused("The folder is read at that hour, with that key, already.")
            }
            try former.set(hour: hour, publicKey: key, at: act.now, in: act.transaction)
            act.undo(by: SetPickUp(restoring: former))
            found = try RosterPickUp.find(former.id, in: organization, act.transaction)
            remark = ""
        } else {
            found = try RosterPickUp.insert(
                at: location, of: organization.id, hour: hour, publicKey: key, at: act.now, in: act.transaction)
            act.undo(by: RemovePickUp(pickUp: found.id))
            // Also if it takes back that one was removed: a number is never given twice.
            remark = ", with an account and a folder of its own that are new"
        }
        try act.record(
            .organizationChanged, on: organization, called: organization.name,
            "pick-up at \(hour):00" + (location.map { " of location:\($0.rawValue)" } ?? "") + remark)
        return try PickUpRecord(found, act.context.services, in: act.transaction)
    }
}

/// Has the server read a folder no more. What lies in it stays. Whoever takes that back gets another number, and with
/// it another account and folder, since a number is never given twice.
package struct RemovePickUp: Change {
    package typealias Answer = PickUpRecord

    package static let name = "pick-up.remove"
    package static let summary = """
        Has the server read a folder no more. What lies in it stays. Taking this back makes another folder, with another \
        account.
        """
    package static let privilege = Privilege.importRoster
    package static let route = OperationRoute(.delete, "pick-ups/{pickUp}")
    package static let explanations = ["pickUp": "Its number."]
    package static let undo = UndoRule.possible
    package static let hasBulkForm = false

    package let pickUp: Int64

    package init(pickUp: Int64) { self.pickUp = pickUp }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> RosterPickUp {
        try RosterPickUp.find(pickUp, in: try context.organizationToChange(transaction), transaction)
    }

    package func carryOut(on found: RosterPickUp, _: Void, in act: Act) throws -> PickUpRecord {
        let organization = try act.context.organizationToChange(act.transaction)
        let record = try PickUpRecord(found, act.context.services, in: act.transaction)
        try found.delete(in: act.transaction)
        try act.record(
            .organizationChanged, on: organization, called: organization.name,
            "no pick-up \(found.id) any more; taking this back makes one with another account and folder")
        act.undo(by: SetPickUp(restoring: found))
        return record
    }
}

/// Has the server read a folder now, as it does once a day.
package struct ReadPickUp: Change {
    package typealias Answer = PickUpRecord

    package static let name = "pick-up.read"
    package static let summary = "Has the server read a folder within a minute, and not only at its hour."
    package static let privilege = Privilege.importRoster
    package static let route = OperationRoute(.post, "pick-ups/{pickUp}/read")
    package static let explanations = ["pickUp": "Its number."]
    package static let worksInSandboxes = false
    package static let undo = UndoRule.impossible("An import that comes of it can be taken back.")
    package static let hasBulkForm = false

    package let pickUp: Int64

    package init(pickUp: Int64) { self.pickUp = pickUp }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> RosterPickUp {
        try RosterPickUp.find(pickUp, in: try context.organizationToChange(transaction), transaction)
    }

    package func carryOut(on found: RosterPickUp, _: Void, in act: Act) throws -> PickUpRecord {
        let organization = try act.context.organizationToChange(act.transaction)
        guard act.context.services.pickUpFolder != nil else {
            throw OperationError.refused(
                "The server has no folder for files that are picked up. Whoever runs it names one: pickUpFolder.")
        }
        try found.ask(at: act.now, in: act.transaction)
        try act.record(
            .organizationChanged, on: organization, called: organization.name, "pick-up \(found.id) read by hand")
        return try PickUpRecord(
            RosterPickUp.find(pickUp, in: organization, act.transaction), act.context.services, in: act.transaction)
    }
}

extension RosterPickUp {
    /// - Throws: ``OperationError/notFound(_:_:in:)``
    fileprivate static func find(
        _ number: Int64, in organization: Organization, _ transaction: some Transaction
    ) throws -> RosterPickUp {
        guard let found = try find(number, of: organization.id, in: transaction) else {
            throw OperationError.notFound(.pickUp, "\(number)", in: organization.name)
        }
        return found
    }
}

/// A public key as OpenSSH writes it: its type and its bytes in base64 (RFC 4253 §6.6). It goes into commands for a
/// shell and into a file of keys, so nothing else may be in it.
struct PublicKeyText {
    let text: String

    private static let types: Set = [
        "ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521",
    ]
    private static let bytesMax = 4_096

    /// - Parameter line: a line of a file of public keys. A comment at its end is left out.
    /// - Throws: ``OperationError/invalid(field:reason:)``
    init(_ line: String) throws {
        let words = line.split(whereSeparator: \.isWhitespace).prefix(2)
        guard line.utf8.count <= Self.bytesMax, words.count == 2, Self.types.contains(String(words[0])),
            let bytes = Data(base64Encoded: String(words[1])), bytes.count > 4 + words[0].utf8.count,
            bytes.prefix(4).elementsEqual([0, 0, 0, UInt8(words[0].utf8.count)]),
            bytes.dropFirst(4).starts(with: words[0].utf8)
        else {
            throw OperationError.invalid(
                field: "key",
                reason:
                    "is no public key as OpenSSH writes it, such as “ssh-ed25519 AAAA…”; a private key is never sent")
        }
        text = words.joined(separator: " ")
    }
}
