import Directory
import Foundation
import Ground
import RosterFiles
import Storage

extension ImportFiles {
    private static let partBytes = 1 << 20
    /// Larger archives are not kept. A school of 200 000 people has one of about 20 MB.
    private static let bytesMax = 256 << 20

    /// Keeps the files of an import, sealed in parts under the master key.
    /// - Parameters:
    ///   - input: how they were imported.
    ///   - report: what the import did or would do.
    static func keep(
        _ package: RosterPackage, with input: ImportRoster.Circumstances, as use: ImportEnding.Use,
        _ report: ImportReport, in organization: OrganizationID,
        sealedBy services: AdministrationServices, at now: Date, _ transaction: WriteTransaction
    ) throws {
        guard package.bytes <= bytesMax else { return }
        let (importID, planID): (Int64?, String?) =
            switch use {
            case .applied(let importID): (Int64(importID), nil)
            case .held(let planID): (nil, planID)
            }
        // A nightly import may be held with the same plan again and again: its files are kept once.
        if let planID, try held(in: organization, transaction)[planID] != nil { return }
        try insert(
            of: importID, plan: planID, in: organization, byteCount: package.bytes, at: now, in: transaction
        ) { id, number in
            if number == reportNumber {
                return try services.sealed(try JSONEncoder.administration.encode(report), for: purpose(id, number))
            }
            if number == inputNumber {
                return try services.sealed(try JSONEncoder.administration.encode(input), for: purpose(id, number))
            }
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
        guard package.bytes == byteCount else { throw Self.isIncomplete }
        return package
    }

    /// How the files were imported.
    func input(_ services: AdministrationServices, in transaction: some Transaction) throws
        -> ImportRoster.Circumstances
    {
        let number = Self.inputNumber
        guard let sealed = try sealedPart(number, in: transaction) else { throw Self.isIncomplete }
        return try JSONDecoder.administration.decode(
            ImportRoster.Circumstances.self, from: try services.opened(sealed, for: Self.purpose(id, number)))
    }

    /// What the import did or would do; nil if an earlier version of the server kept the files.
    func report(_ services: AdministrationServices, in transaction: some Transaction) throws -> ImportReport? {
        let number = Self.reportNumber
        return try sealedPart(number, in: transaction).map {
            try JSONDecoder.administration.decode(
                ImportReport.self, from: try services.opened($0, for: Self.purpose(id, number)))
        }
    }

    private static let isIncomplete = OperationError.refused("The files are not complete in the database any more.")

    private static func purpose(_ id: Int64, _ number: Int) -> String { "import_files \(id) \(number)" }
}
