import Authorization
import CommandOutput
import Crypto
import Directory
import Foundation
import RosterFiles
import SampleDistrict
import Storage

/// The data of the demo: a district from CSV files, people who can sign in, and an app of another company. It is
/// created at the first start and reused afterwards.
struct DemoStage: Sendable {
    struct Account: Encodable, Sendable {
        /// `managed` or `personal`.
        let kind: String
        let role: String
        let name: String
        let userName: String
        let password: String
        let email: String?

        enum CodingKeys: String, CodingKey {
            case kind, role, name, password, email
            case userName = "username"
        }
    }

    struct RegisteredApp: Encodable, Sendable {
        let name: String
        let clientID: String
        let teamID: String
        let keyID: String
        let keyFile: String
        let returnURLs: [String]
        let scopes: [String]
    }

    let organization: Organization
    let accounts: [Account]
    let quizzler: RegisteredApp

    static let clientID = "com.example.quizzler"
    private static let scopes = ScopeSet([.usersRead, .classesRead, .testRead, .name, .email])

    static func set(in deployment: Deployment, folder: String, quizzlerURL: String) async throws -> DemoStage {
        let (organization, accounts) = try await school(in: deployment, folder: folder)
        let quizzler = try await register(
            in: deployment, organization: organization, keyFile: "\(folder)/quizzler-key.p8", quizzlerURL: quizzlerURL)
        return DemoStage(organization: organization, accounts: accounts, quizzler: quizzler)
    }

    /// The district, and the accounts of its people who can sign in.
    static func school(
        in deployment: Deployment, folder: String
    ) async throws -> (organization: Organization, accounts: [Account]) {
        let district = SampleDistrict.maple
        let existing = try await deployment.database.read { transaction in
            try Organization.listOwn(in: transaction).first { $0.name == district.name }
        }
        let organization = if let existing { existing } else { try await makeOrganization(for: district, deployment) }
        // The first start may have been stopped before its import was complete. Later imports are not replaced.
        let people = try await deployment.database.read { try Person.count(of: organization.id, in: $0) }
        if people == 0 { try await fill(organization, from: district, deployment, folder) }
        let accounts = try await makeAccounts(district, of: organization, deployment)
        return (organization, accounts)
    }

    // MARK: The district

    private static func makeOrganization(
        for district: SampleDistrict, _ deployment: Deployment
    ) async throws -> Organization {
        let now = deployment.now
        return try await deployment.database.write { transaction in
            let organization = try Organization.insert(
                name: district.name, kind: .school,
                userNameFormat: try UserNameFormat("{sis_username}@\(district.domain)"),
                at: now, in: transaction)
            try Domain.put(district.domain, verifiedAt: now, of: organization.id, at: now, in: transaction)
            return organization
        }
    }

    private static func fill(
        _ organization: Organization, from district: SampleDistrict, _ deployment: Deployment, _ folder: String
    ) async throws {
        let files = "\(folder)/district"
        try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
        for file in SampleDistrict.File.allCases {
            try Data(district.contents(of: file)).write(to: URL(fileURLWithPath: "\(files)/\(file.name)"))
        }
        let report = try await RosterImporter(database: deployment.database, surroundings: deployment.surroundings).run(
            organization: organization.id, from: files, mode: .apply(approval: nil), actor: .operator,
            origin: .commandLine)
        guard report.outcome == .applied else {
            throw Failure(
                "The demo district was not imported: \(report.defects.map(\.description).joined(separator: "\n"))")
        }
    }

    // MARK: People who can sign in

    private static func makeAccounts(
        _ district: SampleDistrict, of organization: Organization, _ deployment: Deployment
    ) async throws -> [Account] {
        let hasher = PasswordHasher(surroundings: deployment.surroundings)
        var accounts: [Account] = []
        for notable in district.notablePeople {
            let password = Self.password(for: PasswordPolicy(rawValue: notable.passwordPolicy) ?? .standard)
            let found = try await deployment.database.read { transaction in
                try Person.find(sourceID: notable.personID, in: organization.id, transaction).map {
                    ($0, try Credential.find(for: $0.id, in: transaction))
                }
            }
            guard let (person, credential) = found else {
                throw Failure("The demo district has no \(notable.personID).")
            }
            if credential == nil {
                try await prepare(person, notable, password: try await hasher.hash(password), organization, deployment)
            }
            accounts.append(
                Account(
                    kind: "managed", role: Self.role(notable.role).rawValue, name: person.fullName,
                    userName: person.userName, password: password, email: person.email))
        }
        accounts.append(
            try await makePersonal(
                "parent", givenName: "Nadia", familyName: "Haddad", "nadia@mail.example", hasher, deployment))
        // This account can consent to the test scope.
        accounts.append(
            try await makePersonal("developer", givenName: "Robin", familyName: "Vale", developer, hasher, deployment))
        return accounts
    }

    private static func prepare(
        _ person: Person, _ notable: NotablePerson, password hash: String, _ organization: Organization,
        _ deployment: Deployment
    ) async throws {
        let now = deployment.now
        try await deployment.database.write { transaction in
            try Credential.put(hash, temporaryUntil: nil, for: person.id, at: now, in: transaction)
            let role = Self.role(notable.role)
            guard role.mayShareData else { return }
            try RoleAssignment(role, at: nil).insert(
                for: person.id, of: organization.id, at: now, in: transaction)
        }
    }

    private static let developer = "dev@quizzler.example"

    /// An account that belongs to no organization. Its user name is its email address.
    private static func makePersonal(
        _ role: String, givenName: String, familyName: String, _ email: String, _ hasher: PasswordHasher,
        _ deployment: Deployment
    ) async throws -> Account {
        let password = Self.password(for: .standard)
        if try await deployment.database.read({ try Person.find(userName: email, in: $0) }) == nil {
            let hash = try await hasher.hash(password)
            let now = deployment.now
            try await deployment.database.write { transaction in
                let person = try Person.insert(
                    in: nil, givenName: givenName, familyName: familyName, email: email, emailVerifiedAt: now,
                    userName: email, at: now, in: transaction)
                try Credential.put(hash, temporaryUntil: nil, for: person.id, at: now, in: transaction)
            }
        }
        return Account(
            kind: "personal", role: role, name: "\(givenName) \(familyName)", userName: email, password: password,
            email: email)
    }

    /// These passwords are public. That is safe, because the demo listens on loopback only.
    private static func password(for policy: PasswordPolicy) -> String {
        switch policy {
        case .fourDigits: "2468"
        case .sixDigits: "246810"
        case .standard: "maple-2468"
        }
    }

    private static func role(_ role: NotablePerson.Role) -> Role {
        switch role {
        case .administrator: .administrator
        case .siteManager: .siteManager
        case .instructor: .instructor
        case .student: .student
        }
    }

    // MARK: The app

    private static func register(
        in deployment: Deployment, organization: Organization, keyFile: String, quizzlerURL: String
    ) async throws -> RegisteredApp {
        let returnURLs = try ["/connect/callback", "/sign-in/callback"].map {
            try ReturnURL("\(quizzlerURL)\($0)", allowingLoopback: true)
        }
        let notificationURL = "\(quizzlerURL)/sign-in/notifications"
        let privateKey: P256.Signing.PrivateKey
        if let pem = try? String(contentsOfFile: keyFile, encoding: .utf8) {
            privateKey = try P256.Signing.PrivateKey(pemRepresentation: pem)
        } else {
            privateKey = P256.Signing.PrivateKey()
            guard
                FileManager.default.createFile(
                    atPath: keyFile, contents: Data(privateKey.pemRepresentation.utf8),
                    attributes: [.posixPermissions: 0o600])
            else { throw Failure("The key file \(keyFile) cannot be written.") }
        }
        let now = deployment.now
        return try await deployment.database.write { transaction in
            let app: App
            if let found = try App.find(clientID: clientID, in: transaction) {
                app = found
                // The port may have changed since the last start.
                try app.put(returnURLs: returnURLs, in: transaction)
                // Older versions of the demo registered it with roster scopes only.
                try app.put(name: app.name, scopes: scopes, in: transaction)
                try app.put(notificationURL: notificationURL, in: transaction)
            } else {
                let team = try Team.insert(
                    name: "Quizzler Inc.", at: now, from: deployment.surroundings, under: deployment.masterKey,
                    in: transaction)
                app = try App.insert(
                    name: "Quizzler", team: team.id, clientIDs: [clientID], returnURLs: returnURLs,
                    scopes: scopes, notificationURL: notificationURL, at: now,
                    in: transaction)
                if let developer = try Person.find(userName: developer, in: transaction) {
                    try team.add(member: developer.id, in: transaction)
                }
                try AccessRule.apply(
                    .list(app.id), to: organization.id, purpose: .dataSharing, by: .operator, from: .commandLine,
                    at: now,
                    in: transaction)
            }
            let keys = try TeamKey.list(of: app.teamID, in: transaction)
            let pem = privateKey.publicKey.pemRepresentation
            let key =
                try keys.first { $0.publicKeyPEM == pem && $0.revokedAt == nil }
                ?? TeamKey.insert(
                    privateKey.publicKey, name: "Quizzler", of: app.teamID, at: now, from: deployment.surroundings,
                    in: transaction)
            let team = try Team.find(app.teamID, in: transaction)!  // the app has a foreign key to it
            return RegisteredApp(
                name: app.name, clientID: clientID, teamID: team.publicID, keyID: key.keyID, keyFile: keyFile,
                returnURLs: returnURLs.map(\.text), scopes: app.scopes.text.split(separator: " ").map(String.init))
        }
    }
}
