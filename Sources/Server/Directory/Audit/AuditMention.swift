import Storage

/// Something by which an audit entry is found: a person, an app, a place, an action. The table `audit_mention` has one
/// row for each that an entry mentions, written with the entry. It is only a way to find entries: the hashes of the
/// chain do not cover it, and whoever loses it can make it again from the entries.
package struct AuditMention: Hashable, Sendable, Comparable {
    package let term: String

    init(term: String) { self.term = term }

    package static func person(_ id: PersonID) -> AuditMention { AuditMention(term: "person:\(id.rawValue)") }
    /// - Parameter number: the id of the app: apps themselves are known to `Authorization`, which stands on this room.
    package static func app(_ number: Int64) -> AuditMention { AuditMention(term: "app:\(number)") }
    package static func client(_ clientID: String) -> AuditMention { AuditMention(term: "client:\(clientID)") }
    package static func location(_ id: LocationID) -> AuditMention { AuditMention(term: "location:\(id.rawValue)") }
    package static func action(_ action: AuditEntry.Action) -> AuditMention {
        AuditMention(term: "action:\(action.rawValue)")
    }

    /// The act was refused.
    static let refused = AuditMention(term: "refused")
    /// The entry can be about each person of the organization.
    package static let everybody = AuditMention(term: "everybody")

    package static func < (one: AuditMention, other: AuditMention) -> Bool { one.term < other.term }
}

// MARK: Many records at once

extension AuditMention {
    /// Records that are read many at a time, and named by the range of their ids.
    package enum Records: String, Sendable {
        case people
        case classes
    }

    private static let levelMax = 31

    /// The blocks of ids that a range touches, of which there are two at most. A block of level n has 4ⁿ ids; the level
    /// is the lowest at which the range is not longer than a block. So the entries about one id are found under a few
    /// blocks, one for each level, without a row for each record that was read.
    package static func blocks(of records: Records, from first: Int64, through last: Int64) -> [AuditMention] {
        guard first >= 0, last >= first else { return [] }
        var level = 0
        while level < levelMax, Int64(1) << (2 * level) <= last - first { level += 1 }
        return Set([first, last]).map { block(of: records, level, around: $0) }
    }

    /// The blocks in which an id is.
    package static func blocks(of records: Records, around id: Int64) -> [AuditMention] {
        (0...levelMax).map { block(of: records, $0, around: id) }
    }

    private static func block(of records: Records, _ level: Int, around id: Int64) -> AuditMention {
        AuditMention(term: "\(records.rawValue)/\(level)/\(id >> (2 * level))")
    }
}

// MARK: Writing

extension AuditMention {
    /// The mentions in the words of an entry, such as `person:12` in the actor, the subject or the detail.
    static func all(in entry: AuditRecord) -> Set<AuditMention> {
        var mentions: Set = [AuditMention(term: "action:\(entry.action)")]
        if entry.outcome == AuditEntry.Outcome.refused.rawValue { mentions.insert(refused) }
        if entry.actor.hasPrefix("client:") { mentions.insert(AuditMention(term: entry.actor)) }
        for text in [entry.actor, entry.subject, entry.detail] {
            for name in ["person", "app", "location"] { mentions.formUnion(named(name, in: text)) }
        }
        return mentions
    }

    private static func named(_ name: String, in text: String) -> [AuditMention] {
        guard text.utf8.contains(UInt8(ascii: ":")) else { return [] }
        return text.split { $0 == " " || $0 == "," || $0 == ";" }.compactMap { word in
            guard word.hasPrefix(name + ":") else { return nil }
            let number = word.dropFirst(name.count + 1)
            guard !number.isEmpty, number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return AuditMention(term: String(word))
        }
    }

    var personID: PersonID? {
        guard term.hasPrefix("person:") else { return nil }
        return Int64(term.dropFirst("person:".count)).map(PersonID.init(rawValue:))
    }

    static func insert(
        _ mentions: Set<AuditMention>, of record: AuditRecord, in organization: OrganizationID,
        _ transaction: WriteTransaction
    ) throws {
        let sorted = mentions.sorted()
        let rows = sorted.indices.map { "($1, $\($0 + 4), $2, $3)" }.joined(separator: ", ")
        try transaction.execute(
            "INSERT INTO audit_mention (organization_id, term, at, sequence) VALUES \(rows)",
            [organization, record.at, record.sequence] + sorted.map(\.term))
    }

    /// For how many people one query asks. Databases bound the parameters of a query.
    private static let placesAtOnce = 500

    /// The places at which the people among the mentions hold a role.
    static func places(of mentions: Set<AuditMention>, in transaction: some Transaction) throws -> [AuditMention] {
        var people = mentions.compactMap(\.personID)[...]
        var places: [AuditMention] = []
        while !people.isEmpty {
            let some = people.prefix(placesAtOnce)
            let list = some.indices.map { "$\($0 - some.startIndex + 1)" }.joined(separator: ", ")
            places += try transaction.all(
                """
                SELECT DISTINCT location_id FROM role_assignment WHERE person_id IN (\(list)) AND location_id > 0
                """, Array(some)
            ) { .location(try $0[0]) }
            people = people.dropFirst(placesAtOnce)
        }
        return places
    }
}
