import Administration
import CommandOutput
import Directory
import Foundation
import Ground
import Storage

/// A list of people who were erased, as `lanyard erasure list --json` writes it.
struct ErasureFile: Codable {
    let erasures: [ErasureRecord]

    /// All erasures of all organizations.
    init(of database: any Database) async throws {
        erasures = try await database.read { transaction in
            try Organization.list(in: transaction).flatMap { organization -> [ErasureRecord] in
                var (all, last): ([ErasureRecord], PersonID) = ([], PersonID(rawValue: 0))
                while true {
                    let page = try Erasure.page(of: organization.id, after: last, limit: 1_000, in: transaction)
                    guard let end = page.last else { return all }
                    all += try page.map { try ErasureRecord($0, in: organization, transaction) }
                    last = end.personID
                }
            }
        }
    }

    func encoded() throws -> Data { try BackupManifest.encoder.encode(self) }
}

/// People who are to be erased again, because a copy was put in place in which they are still there.
struct ErasureReplay: Encodable {
    /// The numbers of those who were erased now.
    private(set) var erased: [Int64] = []
    private(set) var unneeded = 0
    private(set) var unrecognized: [Int64] = []

    private struct List: Decodable {
        let erasures: [ReplayErasures.Item]
    }

    /// - Throws: ``Failure`` if the file cannot be read, or is no such list.
    static func items(in file: String) throws -> [ReplayErasures.Item] {
        guard let bytes = FileManager.default.contents(atPath: file) else { throw Failure("There is no \(file).") }
        do {
            return try JSONDecoder.administration.decode(List.self, from: bytes).erasures
        } catch {
            throw Failure("\(file) is not what `lanyard erasure list --json` writes.")
        }
    }

    /// - Parameter perform: carries the operation out in an organization.
    mutating func run(
        _ items: [ReplayErasures.Item],
        perform: (ReplayErasures, OrganizationReference) async throws -> ReplayErasures.Answer
    ) async throws {
        let lists = Dictionary(grouping: items, by: \.organization).sorted { $0.key < $1.key }
        for (organization, items) in lists {
            for start in stride(from: 0, to: items.count, by: 1_000) {
                let part = Array(items[start..<min(start + 1_000, items.count)])
                let answer = try await perform(ReplayErasures(erasures: part), OrganizationReference(organization))
                erased += answer.erased
                unneeded += answer.unneeded
                unrecognized += answer.unrecognized
            }
        }
    }

    var text: String {
        let others = unrecognized.map { "PE-\($0)" }.joined(separator: ", ")
        return "\(erased.count) erased again, \(unneeded) not needed."
            + (others.isEmpty ? "" : " Others have these numbers, and nobody was erased for them: \(others).")
    }
}
