import Accounts
import Administration
import Authorization
import CommandOutput
import Directory
import DomainNames
import Ground
import HiddenMail
import Mail
import ServerHTTP
import Storage

extension Deployment {
    /// Runs `body` with an administrator: of the installation on this machine, as its operator, or of a server, in the
    /// name of the person or program that has signed in to it.
    /// - Parameters:
    ///   - viewsRosters: whether it is asked what an app would get.
    ///   - addsSenders: whether senders of mail to hidden addresses are added, for which the relay's domain has to be known.
    ///   - tellsOfImports: whether an import may be held, of which administrators get a mail.
    ///   - showsMail: whether it is asked from which address the server writes.
    ///   - progress: is told how far slow work has come.
    /// - Throws: ``Failure`` for an operation that is not carried out, with what to run instead.
    static func administrate<Value>(
        _ global: GlobalOptions, tellsOfPasswords: Bool = false, viewsRosters: Bool = false,
        tellsOfImports: Bool = false, addsSenders: Bool = false, showsMail: Bool = false,
        progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void = { _, _ in },
        _ body: (any Administrating) async throws -> Value
    ) async throws -> Value {
        do {
            if let server = try global.remote {
                return try await body(
                    try RemoteAdministrator(of: server, surroundings: .system, progress: progress))
            }
            return try await withExisting(global) { deployment, settings in
                let administrator = Administrator(
                    .operator, from: .commandLine, database: deployment.database,
                    services: AdministrationServices(
                        surroundings: deployment.surroundings,
                        hasher: PasswordHasher(
                            width: PasswordHasher.everyCore, surroundings: deployment.surroundings),
                        passwordNotice: tellsOfPasswords ? try await deployment.passwordNotice(settings) : nil,
                        masterKey: deployment.masterKey,
                        administratorMail: tellsOfImports ? try await deployment.administratorMail(settings) : nil,
                        mailSender: showsMail ? try settings.mail()?.sender : nil,
                        rosterViewing: viewsRosters ? try await deployment.rosterViewer : nil,
                        developers: DeveloperRules(
                            takesLoopback: settings.isDevelopment,
                            relayDomain: addsSenders ? try settings.relay()?.domain : nil),
                        pickUpFolder: settings.text("pickUpFolder"),
                        textRecords: TextRecords(servers: settings.text("nameServers"))),
                    progress: progress)
                do {
                    return try await body(administrator)
                } catch let error as OperationError {
                    throw try await deployment.database.read { try OrganizationSelector.explain(error, in: $0) }
                }
            }
        } catch OperationError.unnamedOrganization(0) {
            throw Failure(
                "\(OperationError.unnamedOrganization(count: 0)) Make one with `lanyard init --name …`.")
        } catch let error as OperationError {
            guard let failure = OperationFailure(error) else { throw error }
            throw Failure(failure.textWithCommands)
        } catch let failure as OperationFailure {
            throw Failure(failure.textWithCommands)
        }
    }
}

extension Deployment {
    /// Sends nothing if the server sends no mail.
    func administratorMail(_ settings: Settings) async throws -> AdministratorMail {
        AdministratorMail(
            mailer: Mailer(sender: try settings.mail()?.sender, surroundings: surroundings),
            writing: try AdministratorLetter.writing(from: try await settings.server().baseURL))
    }

    private var rosterViewer: RosterViewer {
        get async throws {
            RosterViewer(
                RosterService(
                    database: database,
                    keys: try await ServerKeys.load(from: database, under: masterKey, surroundings: surroundings),
                    teamIdentifiers: TeamIdentifiers(database: database, masterKey: masterKey),
                    rate: .init(burst: 1, perSecond: 1), now: surroundings.now))
        }
    }
}

extension OperationFailure {
    /// The reason, and the command that helps. Only the command line adds it: operations serve the API too, and know no
    /// commands.
    var textWithCommands: String {
        switch (kind, subjectKind) {
        case (.notFound, .person): "\(detail) `lanyard person list --text …` finds people."
        case (.notFound, .location): "\(detail) `lanyard org location list` shows those that it has."
        case (.notFound, .term): "\(detail) `lanyard term list` shows those that there are."
        case (.notFound, .class): "\(detail) Name it by its class_id or its exact name."
        case (.notFound, .domain): "\(detail) `lanyard org domain list` shows those that it has."
        case (.notFound, .app):
            "\(detail) `lanyard app list` shows the apps and their client ids."
        case (.notFound, .client): "\(detail) `lanyard app list` shows those that there are."
        case (.notFound, .team): "\(detail) `lanyard app team list` shows the teams."
        case (.notFound, .key): "\(detail) `lanyard key list` shows the keys."
        case (.notFound, .sender): "\(detail) `lanyard app sender list` shows those that it has."
        case (.notFound, .device): "\(detail) `lanyard device list` shows the devices."
        case (.notFound, .pickUp): "\(detail) `lanyard pick-up list` shows those that there are."
        case (.notFound, .signingKey): "\(detail) `lanyard signing-key list` shows those that there are."
        case (.notFound, .organization): "\(detail) `lanyard org list` shows the names and ids."
        case (.ambiguous, .organization) where choices == nil:
            "\(detail) Name it with --org; `lanyard org list` shows the names and ids."
        case (.ambiguous, .organization): "\(detail) `lanyard org list` shows the names and ids."
        case (.refused, _): ([detail] + [remedy?.command].compactMap(\.self)).joined(separator: " ")
        case (.items, _):
            ([detail] + (items ?? []).prefix(20).map { "Item \($0.index + 1): \($0.detail)" }).joined(separator: "\n")
        default: detail
        }
    }
}

extension OperationError.Remedy {
    fileprivate var command: String {
        let words = operation.split(separator: ".")
        // What belongs to the organization as a whole is below `org`.
        let prefix = ["location", "domain", "realm"].contains(words.first) ? "org " : ""
        let command = "`lanyard \(prefix)\(words.joined(separator: " ")) \(subject)`"
        return switch use {
        case .first: "Run \(command) first."
        case .looking(let purpose): "\(command) \(purpose)."
        }
    }
}
