import Administration
import CommandOutput
import Directory
import Foundation
import Ground
import Storage

/// A list of people who were erased, and of organizations with what they are, as `lanyard erasure list --json` writes it.
struct ErasureFile: Codable {
    let erasures: [ErasureRecord]
    let organizations: [OrganizationStanding]

    /// All erasures of all organizations.
    init(of database: any Database, at now: Date) async throws {
        (erasures, organizations) = try await database.read { transaction in
            let all = try Organization.list(in: transaction)
            let erasures = try all.flatMap { organization -> [ErasureRecord] in
                var (all, last): ([ErasureRecord], PersonID) = ([], PersonID(rawValue: 0))
                while true {
                    let page = try Erasure.page(of: organization.id, after: last, limit: 1_000, in: transaction)
                    guard let end = page.last else { return all }
                    all += try page.map { try ErasureRecord($0, in: organization, transaction) }
                    last = end.personID
                }
            }
            return (erasures, all.map { OrganizationStanding($0, at: now) })
        }
    }

    init(erasures: [ErasureRecord], organizations: [OrganizationStanding]) {
        self.erasures = erasures
        self.organizations = organizations
    }

    func encoded() throws -> Data { try BackupManifest.encoder.encode(self) }
}

/// What a list says that is to be done again.
struct ErasureList: Decodable {
    var erasures: [ReplayErasures.Item] = []
    /// Nil in a list of an older version.
    var organizations: [OrganizationStanding]?

    static func + (one: Self, other: Self) -> Self {
        Self(
            erasures: one.erasures + other.erasures,
            organizations: (one.organizations ?? []) + (other.organizations ?? []))
    }
}

extension ErasureList {
    init(_ file: ErasureFile) {
        erasures = file.erasures.map {
            ReplayErasures.Item(
                organization: $0.organization, number: $0.number, createdAt: $0.createdAt, erasedAt: $0.erasedAt)
        }
        organizations = file.organizations
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
}

/// People who are to be erased again, and organizations that are to be closed again, because a copy was put in place in which they are still
/// there.
struct ErasureReplay: Encodable {
    /// The numbers of those who were erased now.
    private(set) var erased: [Int64] = []
    private(set) var unneeded = 0
    private(set) var unrecognized: [Int64] = []
    /// The ids of organizations that were closed now; nil if there are none.
    private(set) var closed: [String]?

    /// - Parameter perform: carries the operation out in an organization.
    mutating func run(
        _ list: ErasureList,
        perform: (ReplayErasures, OrganizationReference) async throws -> ReplayErasures.Answer
    ) async throws {
        let lists = Dictionary(grouping: list.erasures, by: \.organization).sorted { $0.key < $1.key }
        for (organization, items) in lists {
            for start in stride(from: 0, to: items.count, by: 1_000) {
                let part = Array(items[start..<min(start + 1_000, items.count)])
                let answer = try await perform(ReplayErasures(erasures: part), OrganizationReference(organization))
                erased += answer.erased
                unneeded += answer.unneeded
                unrecognized += answer.unrecognized
            }
        }
        for standing in (list.organizations ?? []).latest {
            guard let closing = standing.closing else { continue }
            let change = ReplayErasures(erasures: [], closing: closing)
            if try await perform(change, OrganizationReference(standing.organization)).closed {
                closed = (closed ?? []) + [standing.organization]
            }
        }
    }

    var text: String {
        let others = unrecognized.map { "PE-\($0)" }.joined(separator: ", ")
        return "\(erased.count) erased again, \(unneeded) not needed."
            + (others.isEmpty ? "" : " Others have these numbers, and nobody was erased for them: \(others).")
            + (closed.map { " Closed again: \($0.joined(separator: ", "))." } ?? "")
    }
}
