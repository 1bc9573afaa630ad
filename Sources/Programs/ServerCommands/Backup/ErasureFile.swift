import Administration
import CommandOutput
import Directory
import Foundation
import Ground
import Storage

/// A list of people who were erased, and of organizations that were closed and opened again, as
/// `lanyard erasure list --json` writes it.
struct ErasureFile: Codable {
    let erasures: [ErasureRecord]
    /// Nil in the list of those who are not acknowledged.
    let closings: [ClosingRecord]?

    init(erasures: [ErasureRecord], closings: [ClosingRecord]?) {
        self.erasures = erasures
        self.closings = closings
    }

    /// All erasures and closings of all organizations.
    init(of database: any Database) async throws {
        self = try await database.read { transaction in
            let organizations = try Organization.list(in: transaction)
            let erasures = try organizations.flatMap { organization -> [ErasureRecord] in
                var (all, last): ([ErasureRecord], PersonID) = ([], PersonID(rawValue: 0))
                while true {
                    let page = try Erasure.page(of: organization.id, after: last, limit: 1_000, in: transaction)
                    guard let end = page.last else { return all }
                    all += try page.map { try ErasureRecord($0, in: organization, transaction) }
                    last = end.personID
                }
            }
            let closings = try organizations.flatMap { try ClosingRecord.list(of: $0, in: transaction) }
            return ErasureFile(erasures: erasures, closings: closings)
        }
    }

    func encoded() throws -> Data { try BackupManifest.encoder.encode(self) }
}

/// What lists say that is to be done again.
struct ErasureList: Decodable {
    var erasures: [ReplayErasures.Item] = []
    /// Nil in a list of an older version.
    var closings: [ClosingRecord]?

    init() {}

    init(_ file: ErasureFile) {
        erasures = file.erasures.map {
            ReplayErasures.Item(
                organization: $0.organization, number: $0.number, createdAt: $0.createdAt, erasedAt: $0.erasedAt)
        }
        closings = file.closings
    }

    /// - Throws: ``Failure`` if the file cannot be read, or is no such list.
    init(reading file: String) throws {
        guard let bytes = FileManager.default.contents(atPath: file) else { throw Failure("There is no \(file).") }
        do {
            self = try JSONDecoder.administration.decode(Self.self, from: bytes)
        } catch {
            throw Failure("\(file) is not what `lanyard erasure list --json` writes.")
        }
    }

    mutating func add(_ other: ErasureList) {
        erasures += other.erasures
        closings = (closings ?? []) + (other.closings ?? [])
    }

    /// The ids of the organizations that it is about.
    var organizations: Set<String> { Set(erasures.map(\.organization) + (closings ?? []).map(\.organization)) }

    /// What it says of each organization, by their ids, without what several lists say alike.
    fileprivate var parts: [String: ErasureList] {
        let erasures = Dictionary(grouping: erasures, by: \.organization)
        let closings = Dictionary(grouping: closings ?? [], by: \.organization)
        var parts: [String: ErasureList] = [:]
        for organization in organizations {
            var (part, seen) = (ErasureList(), Set<[Int64]>())
            part.erasures = (erasures[organization] ?? []).filter {
                seen.insert([$0.number, Int64($0.createdAt.timeIntervalSince1970)]).inserted
            }
            part.closings = (closings[organization] ?? []).reduce(into: []) { found, next in
                if !found.contains(next) { found.append(next) }
            }
            parts[organization] = part
        }
        return parts
    }
}

/// People who are to be erased again, and organizations that are to be what they were since, because a copy was put in
/// place that knows nothing of it.
struct ErasureReplay: Encodable {
    struct Organization: Encodable {
        /// The organization's id.
        let id: String
        let name: String
        /// Nil for one that is open now.
        let erasesOn: CalendarDay?
    }

    /// The numbers of those who were erased now.
    private(set) var erased: [Int64] = []
    private(set) var unneeded = 0
    private(set) var unrecognized: [Int64] = []
    private(set) var closed: [Organization] = []
    private(set) var reopened: [Organization] = []
    /// The organizations that were closed before. They are erased later than they would have been.
    private(set) var postponed: [Organization] = []
    /// The closings and reopenings that were ignored, because they are dated in the future.
    private(set) var ahead: [ClosingRecord] = []
    /// The ids of organizations in the list that are not there.
    private(set) var unknown: [String] = []

    private static let erasuresAtOnce = 1_000

    /// - Parameters:
    ///   - others: the ids of organizations that are to be looked at although the list does not name them.
    ///   - perform: carries the operation out in an organization.
    mutating func run(
        _ list: ErasureList, alsoIn others: [String] = [],
        perform: (ReplayErasures, OrganizationReference) async throws -> ReplayErasures.Answer
    ) async throws {
        let parts = list.parts
        for organization in Set(parts.keys).union(others).sorted() {
            let part = parts[organization] ?? ErasureList()
            do {
                // The closings go with the first request, so that they count before anybody is erased.
                var (erasures, closings) = (part.erasures[...], part.closings)
                repeat {
                    let change = ReplayErasures(
                        erasures: Array(erasures.prefix(Self.erasuresAtOnce)), closings: closings)
                    note(try await perform(change, OrganizationReference(organization)), of: organization)
                    (erasures, closings) = (erasures.dropFirst(Self.erasuresAtOnce), nil)
                } while !erasures.isEmpty
            } catch OperationError.notFound(.organization, _, _) {
                unknown.append(organization)
            }
        }
    }

    private mutating func note(_ answer: ReplayErasures.Answer, of id: String) {
        erased += answer.erased
        unneeded += answer.unneeded
        unrecognized += answer.unrecognized
        ahead += answer.ahead
        let organization = Organization(id: id, name: answer.organization, erasesOn: answer.erasesOn)
        switch answer.outcome {
        case .closed: closed.append(organization)
        case .reopened: reopened.append(organization)
        case .postponed: postponed.append(organization)
        case nil: break
        }
    }

    /// For people, a line for each thing that they have to know.
    var lines: [String] {
        let others = unrecognized.map { "PE-\($0)" }.joined(separator: ", ")
        var lines = ["Of those who were erased since: \(erased.count) erased again, \(unneeded) not needed."]
        if !others.isEmpty { lines.append("Others have these numbers, and nobody was erased for them: \(others).") }
        func day(_ organization: Organization) -> String { organization.erasesOn.map { $0.text } ?? "then" }
        lines += closed.map {
            """
            \($0.name) was closed since, and is closed again. It is erased from \(day($0)) on. If that is wrong, open it before: \
            `lanyard org reopen --org \($0.id)`.
            """
        }
        lines += reopened.map { "\($0.name) was opened again since, and is open." }
        lines += postponed.map {
            "\($0.name) is closed, and its day of erasure is put off to \(day($0)), so that there is time to look at it."
        }
        lines += ahead.map {
            """
            A list says that the organization \($0.organization) was \($0.action == .closed ? "closed" : "opened again") at \
            \($0.at.minuteText) UTC, which is still to come, so that was ignored. If it is true, and a clock was wrong, do it again: \
            `lanyard org \($0.action == .closed ? "close" : "reopen") --org \($0.organization)`.
            """
        }
        if !unknown.isEmpty {
            lines.append("Not in this database, and passed over: the organizations \(unknown.joined(separator: ", ")).")
        }
        return lines
    }
}
