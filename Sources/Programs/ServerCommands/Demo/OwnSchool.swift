import CommandOutput
import Directory
import Foundation
import RosterFiles
import SampleDistrict
import Storage

/// The demo's second organization, for whoever tries how a school is run: it is empty until its administrator, who comes in
/// by a one-time link, imports the files that lie beside it.
struct OwnSchool: Encodable, Sendable {
    let name: String
    /// A ZIP with the six CSV files. Absolute, because people choose it in a browser.
    let roster: String
    /// Nil once somebody has taken it.
    let link: String?

    /// Makes what is not there yet. The link is another one at each start, because only its hash is stored.
    /// - Parameter baseURL: of the server.
    static func set(in deployment: Deployment, folder: String, baseURL: String) async throws -> OwnSchool {
        let district = SampleDistrict.oak
        let roster = URL(fileURLWithPath: "\(folder)/oak-academy.zip").standardizedFileURL
        // One that somebody has changed stays as it is.
        if !FileManager.default.fileExists(atPath: roster.path) { try pack(district, to: roster) }
        let now = deployment.now
        return try await deployment.database.write { transaction in
            // By its domain: its administrator can call it otherwise.
            let organization =
                try Organization.find(verified: district.domain, in: transaction)
                ?? make(for: district, at: now, in: transaction)
            let isTaken =
                try organization.closing != nil
                || Organization.hasAdministrator(organization.id, besides: .none, at: now, in: transaction)
            let link =
                try isTaken
                ? nil
                : Invitation.issuePath(for: organization, at: now, from: deployment.surroundings, in: transaction)
            return OwnSchool(name: organization.name, roster: roster.path, link: link.map { baseURL + $0 })
        }
    }

    private static func make(
        for district: SampleDistrict, at now: Date, in transaction: WriteTransaction
    ) throws -> Organization {
        let organization = try Organization.insert(
            name: district.name, kind: .school,
            userNameFormat: try UserNameFormat("{sis_username}@\(district.domain)"), at: now, in: transaction)
        try Domain.put(district.domain, verifiedAt: now, of: organization.id, at: now, in: transaction)
        try AuditEntry(
            .organizationCreated, by: .operator, on: "organization:\(organization.publicID)", outcome: .done,
            from: .commandLine
        ).append(to: organization.id, at: now, in: transaction)
        return organization
    }

    private static func pack(_ district: SampleDistrict, to file: URL) throws {
        let upload = try RosterUpload(of: .school, bytesMax: 1 << 20)
        for file in SampleDistrict.File.allCases {
            try upload.begin(file.name)
            try district.write(file) { try upload.append($0) }
            try upload.end()
        }
        let package = try upload.finish()
        try package.part(at: 0, bytesMax: package.bytes).write(to: file, options: .atomic)
    }
}
