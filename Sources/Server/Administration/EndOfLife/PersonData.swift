import Authorization
import Directory
import Foundation
import Storage

/// All that the server holds about one person, as tables of texts: the answer to whoever asks what is known about them
/// or their child.
package struct PersonData: Codable, Equatable, Sendable {
    package struct Section: Codable, Equatable, Sendable {
        package enum Name: String, Codable, CaseIterable, Sendable {
            case account
            case formerNames
            case mergedRecords
            case roles
            case classes
            case taughtClasses
            case appSignIns
            case readers
            case notShared
            case hiddenAddresses
            case consents
            case teams
            case password
            case sessions
            case browsers
            case devices
            case passkeys
            case oneTimeCodes
            case appSessions
            case tokens
            case terminals
            case mails
            case notices
            case formerIDs
            case formerValues
            case beforeImport
            case rolesBeforeImport
            case classesBeforeImport
            case taughtBeforeImport
            case holds
            case jobs
            case history
        }

        package let name: Name
        /// The names of the columns, in their order.
        package let columns: [String]
        /// The values by column; empty ones are left out. Times are in UTC, as 2026-08-17T07:30:00Z.
        package let rows: [[String: String]]
    }

    /// The number of the record, such as 12.
    package let number: Int64
    package let fullName: String
    package let organizationName: String
    /// When it was put together.
    package let at: Date
    /// The sections that have at least one row.
    package let sections: [Section]
    /// What is not in it, in sentences, each with its reason.
    package let leftOut: [String]
}

extension PersonData {
    /// How many entries of the history are shown at most.
    static let historyMax = 5_000

    init(of person: Person, in organization: Organization?, at now: Date, _ transaction: some Transaction) throws {
        // Records that were merged into this one are records of the same person.
        let people = [person.id] + (try PersonMerge.origins(of: person.id, in: transaction))
        var found: [Section.Name: Section] = [:]
        for table in PersonTable.all {
            guard case .section(let name, let sql, let columns) = table.shown else { continue }
            let rows = try people.flatMap { try Self.rows(sql, columns, of: $0, transaction) }
            found[name] = Section(name: name, columns: columns.map(\.name), rows: rows)
        }
        found[.readers] = try Self.readers(of: person, people, in: organization, transaction)
        let history = try Self.history(of: people, in: organization, transaction)
        found[.history] = history.section
        number = person.id.rawValue
        fullName = person.fullName
        organizationName = organization?.name ?? ""
        self.at = now
        sections = Section.Name.allCases.compactMap { found[$0] }.filter { !$0.rows.isEmpty }
        var reasons: [String] = []
        for table in PersonTable.all {
            guard case .left(let reason) = table.shown, !reasons.contains(reason) else { continue }
            reasons.append(reason)
        }
        leftOut =
            reasons
            + (history.isCut ? ["Of the history only the newest \(Self.historyMax) entries are here."] : [])
    }

    private static func rows(
        _ sql: String, _ columns: [PersonTable.Column], of person: PersonID, _ transaction: some Transaction
    ) throws -> [[String: String]] {
        try transaction.all(sql, [person]) { row in
            var values: [String: String] = [:]
            for (index, column) in columns.enumerated() {
                let text: String? =
                    switch column.kind {
                    case .text: try row[index] as String?
                    case .number: try (row[index] as Int?).map(String.init)
                    case .time: try (row[index] as Date?)?.ISO8601Format()
                    case .flag: try (row[index] as Bool?).map { $0 ? "yes" : "no" }
                    }
                if let text, !text.isEmpty { values[column.name] = text }
            }
            return values
        }
    }
}

// MARK: The audit trail

extension PersonData {
    /// Who has read data of the person, summed up: one row for each reader and list.
    private static func readers(
        of person: Person, _ people: [PersonID], in organization: Organization?, _ transaction: some Transaction
    ) throws -> Section {
        let summaries = try ReaderSummary.all(of: people, in: organization, transaction)
        return Section(
            name: .readers,
            columns: ["reader", "way", "list", "fields", "times", "first", "last", "certain"],
            rows: try summaries.map { summary in
                [
                    "reader": try name(of: summary.reader, people, transaction), "way": summary.way.rawValue,
                    "list": summary.list, "fields": summary.fields.joined(separator: " "),
                    "times": "\(summary.times)", "first": summary.first.ISO8601Format(),
                    "last": summary.last.ISO8601Format(), "certain": summary.isCertain ? "yes" : "possibly",
                ].filter { !$0.value.isEmpty }
            })
    }

    private static func history(
        of people: [PersonID], in organization: Organization?, _ transaction: some Transaction
    ) throws -> (section: Section, isCut: Bool) {
        var filter = AuditFilter()
        filter.mentioning = [people.map(AuditMention.person)]
        // What the person has done for a team of app developers stands in the trail of the server.
        let trails = organization.map { [$0, nil] } ?? [nil]
        let found = try trails.map { try history(filter, people, of: $0, transaction) }
        let rows = found.flatMap(\.rows).sorted { $0["at", default: ""] > $1["at", default: ""] }
        return (
            Section(
                name: .history, columns: ["at", "action", "who", "outcome", "detail", "from"],
                rows: Array(rows.prefix(historyMax))),
            found.contains(where: \.isCut) || rows.count > historyMax
        )
    }

    /// The entries of one trail.
    private static func history(
        _ filter: AuditFilter, _ people: [PersonID], of organization: Organization?, _ transaction: some Transaction
    ) throws -> (rows: [[String: String]], isCut: Bool) {
        var (rows, before): ([[String: String]], Int?) = ([], nil)
        repeat {
            let page = try AuditRecord.page(
                of: organization, matching: filter, before: before, limit: 1_000, in: transaction)
            rows += try page.records.map { record in
                let who = try name(of: record.actor, people, transaction)
                return [
                    "at": record.at.ISO8601Format(), "action": record.action, "who": who,
                    "outcome": record.outcome, "detail": record.detail,
                    // The network address from which somebody else has acted is their data, and not the person's.
                    "from": who == selfName ? record.origin : "",
                ].filter { !$0.value.isEmpty }
            }
            before = page.next
        } while before != nil && rows.count < historyMax
        return (rows, before != nil)
    }

    private static let selfName = "self"

    /// What an actor is called: apps by their names, people by number, because the names of others are not the
    /// person's.
    private static func name(
        of actor: String, _ people: [PersonID], _ transaction: some Transaction
    ) throws -> String {
        if people.contains(where: { "person:\($0.rawValue)" == actor }) { return selfName }
        if let app = try ReaderSummary.app(of: actor, transaction) { return app.name }
        return actor
    }
}

/// Who has read data of a person: the readings of one reader and list, summed up.
struct ReaderSummary: Sendable {
    let reader: String
    let way: Reading.Way
    let list: String
    private(set) var fields: [String]
    private(set) var times = 0
    private(set) var first: Date
    private(set) var last: Date
    /// Whether at least one of the readings has certainly included the person.
    private(set) var isCertain: Bool

    /// The app that has read; nil if it was none.
    static func app(of reader: String, _ transaction: some Transaction) throws -> App? {
        if reader.hasPrefix("client:") {
            return try App.find(clientID: String(reader.dropFirst("client:".count)), in: transaction)
        }
        guard reader.hasPrefix("app:"), let number = Int64(reader.dropFirst("app:".count)) else { return nil }
        return try App.find(AppID(rawValue: number), in: transaction)
    }

    static func all(
        of people: [PersonID], in organization: Organization?, _ transaction: some Transaction
    ) throws -> [ReaderSummary] {
        var (summaries, before): ([String: ReaderSummary], Int?) = ([:], nil)
        repeat {
            let page = try ListReaders.readings(
                of: people, in: organization, before: before, limit: ListAudit.limitMax, transaction)
            for reading in page.readings {
                let key = [reading.reader, reading.way.rawValue, reading.list].joined(separator: "\n")
                summaries[key, default: ReaderSummary(reading)].add(reading)
            }
            before = page.next
        } while before != nil
        return summaries.values.sorted { ($0.first, $0.reader, $0.list) < ($1.first, $1.reader, $1.list) }
    }

    private init(_ reading: Reading) {
        reader = reading.reader
        way = reading.way
        list = reading.list
        fields = []
        first = reading.at
        last = reading.at
        isCertain = false
    }

    private mutating func add(_ reading: Reading) {
        times += 1
        first = min(first, reading.at)
        last = max(last, reading.at)
        isCertain = isCertain || reading.isCertain
        fields += reading.fields.filter { !fields.contains($0) }
    }
}
