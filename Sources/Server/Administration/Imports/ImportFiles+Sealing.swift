import Directory
import Foundation
import RosterFiles
import Storage

extension ImportFiles {
    private static let partBytes = 1 << 20
    /// Larger archives are not kept. A school of 200 000 people has one of about 20 MB.
    private static let bytesMax = 256 << 20

    /// Keeps the files of an import, sealed in parts under the master key. Those that were held are forgotten: whether they
    /// are the same or not, they are approved or out of date.
    static func keep(
        _ package: RosterPackage, as use: ImportEnding.Use, in organization: OrganizationID,
        sealedBy services: AdministrationServices, at now: Date, _ transaction: WriteTransaction
    ) throws {
        try deleteHeld(of: organization, in: transaction)
        guard package.bytes <= bytesMax else { return }
        let importID: Int64? = if case .applied(let importID) = use { Int64(importID) } else { nil }
        try insert(of: importID, in: organization, byteCount: package.bytes, at: now, in: transaction) { id, number in
            let part = try package.part(at: number * partBytes, bytesMax: partBytes)
            return part.isEmpty ? nil : try services.sealed(part, for: purpose(id, number))
        }
    }

    /// Puts the archive together.
    /// - Throws: `MasterKey.Problem` if it was sealed under another key
    func open(_ services: AdministrationServices, in transaction: some Transaction) throws -> RosterPackage {
        var number = 0
        let package = try RosterPackage {
            defer { number += 1 }
            return try sealedPart(number, in: transaction).map {
                try services.opened($0, for: Self.purpose(id, number))
            }
        }
        guard package.bytes == byteCount else {
            throw OperationError.refused("The files are not complete in the database any more.")
        }
        return package
    }

    private static func purpose(_ id: Int64, _ number: Int) -> String { "import_files \(id) \(number)" }
}
