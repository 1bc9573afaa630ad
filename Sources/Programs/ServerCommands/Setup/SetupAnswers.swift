import CommandOutput
import Directory
import Foundation
import Ground
import Mail
import ServerHTTP
import Storage

/// What `lanyard setup` is told, by a person or by a file: five answers, of which each has been checked by itself.
struct SetupAnswers: Equatable {
    let name: String
    /// nil for what is there, or a school.
    let kind: Organization.Kind?
    /// In lower case.
    let domain: String
    /// The address of the server, without a slash at the end.
    let baseURL: String
    let mail: Mail
    let database: DatabaseChoice

    enum Mail: Equatable {
        /// As the settings have it.
        case asItIs
        case off
        case server(MailServer)
    }

    struct MailServer: Equatable {
        var from: String
        var url: String
        var userName: String?
        /// What goes into a file of its own beside the settings.
        var password: String?
        /// A file that somebody else looks after, in place of ``password``.
        var passwordFile: String?
        var certificateAuthorityFile: String?
        var operatorAddress: String?
    }

    enum DatabaseChoice: Equatable {
        case asItIs
        /// The file in the folder of the data.
        case file
        /// `postgres://…`, with a password or without one.
        case server(String)
    }

    // MARK: A file

    /// Why a file of answers is refused, one sentence for each defect.
    struct Defects: Error, Equatable {
        let sentences: [String]
    }

    /// Reads a file of answers.
    /// - Throws: ``Defects``
    init(reading data: Data) throws(Defects) {
        guard let fields = (try? JSONValue(reading: data))?.fields else {
            throw Defects(sentences: ["It is no JSON object."])
        }
        var defects: [String] = []
        func check<Value>(_ body: () throws -> Value) -> Value? {
            do {
                return try body()
            } catch {
                defects.append("\(error)")
                return nil
            }
        }
        func text(_ name: String, of fields: [String: JSONValue], in place: String = "") -> String? {
            guard let value = fields[name], value != .null else { return nil }
            if value.text == nil { defects.append("“\(place)\(name)” is no text.") }
            return value.text
        }
        func demanded(_ name: String) -> String? {
            guard fields[name] == nil || fields[name] == .null else { return text(name, of: fields) }
            defects.append("“\(name)” is missing.")
            return nil
        }
        for unknown in fields.keys.filter({ !Self.names.contains($0) }).sorted() {
            defects.append("“\(unknown)” is none of \(Self.names.joined(separator: ", ")).")
        }
        let name = demanded("name").flatMap { text in check { try Self.checkedName(text) } }
        let domain = demanded("domain").flatMap { text in check { try Self.checkedDomain(text) } }
        let baseURL = demanded("address").flatMap { text in check { try Self.checkedAddress(text) } }
        let kind = text("kind", of: fields).flatMap { text in
            check {
                guard let kind = Organization.Kind(rawValue: text) else {
                    throw Failure("“kind” is “\(text)”; it can be school or business.")
                }
                return kind
            }
        }
        let database = text("database", of: fields).flatMap { text in check { try Self.checkedDatabase(text) } }
        var mail = Mail.asItIs
        switch fields["mail"] {
        case nil: break
        case .null: mail = .off
        case .object(let fields):
            for unknown in fields.keys.filter({ !Self.mailNames.contains($0) }).sorted() {
                defects.append("“mail.\(unknown)” is none of \(Self.mailNames.joined(separator: ", ")).")
            }
            let server = MailServer(
                from: text("from", of: fields, in: "mail.") ?? "", url: text("server", of: fields, in: "mail.") ?? "",
                userName: text("userName", of: fields, in: "mail."),
                password: text("password", of: fields, in: "mail."),
                passwordFile: text("passwordFile", of: fields, in: "mail."),
                certificateAuthorityFile: text("caFile", of: fields, in: "mail."),
                operatorAddress: text("operator", of: fields, in: "mail."))
            if let checked = check({ try Self.checked(server) }) { mail = .server(checked) }
        default: defects.append("“mail” is neither an object nor null.")
        }
        guard defects.isEmpty, let name, let domain, let baseURL else { throw Defects(sentences: defects) }
        self.init(name: name, kind: kind, domain: domain, baseURL: baseURL, mail: mail, database: database ?? .asItIs)
    }

    private static let names = ["name", "kind", "domain", "address", "mail", "database"]
    private static let mailNames = ["from", "server", "userName", "password", "passwordFile", "caFile", "operator"]

    init(
        name: String, kind: Organization.Kind? = nil, domain: String, baseURL: String, mail: Mail,
        database: DatabaseChoice
    ) {
        (self.name, self.kind, self.domain) = (name, kind, domain)
        (self.baseURL, self.mail, self.database) = (baseURL, mail, database)
    }

    // MARK: One answer at a time. Each throws an error whose description says what is wrong.

    static func checkedName(_ text: String) throws -> String {
        try FieldRule.name.check(text, field: "organization name")
    }

    static func checkedDomain(_ text: String) throws -> String {
        try FieldRule.domainName.check(text.lowercased(), field: "domain")
    }

    /// A host alone means https.
    static func checkedAddress(_ text: String) throws -> String {
        let text = text.contains("://") || text.isEmpty ? text : "https://\(text)"
        let baseURL = try ServerConfiguration(baseURL: text).baseURL
        guard let host = URLComponents(string: baseURL)?.host, !host.isEmpty else {
            throw ServerConfiguration.Problem.malformedBaseURL(text)
        }
        return baseURL
    }

    static func checkedDatabase(_ text: String) throws -> DatabaseChoice {
        if text == "sqlite" { return .file }
        // libpq's own words may quote all of the address, and so the password.
        guard namesServer(text), (try? PostgresAddress(text)) != nil else {
            throw Failure(
                "The database is “sqlite”, or a server of PostgreSQL such as postgres://lanyard@db.maple.example/lanyard."
            )
        }
        return .server(text)
    }

    static func checked(_ server: MailServer) throws -> MailServer {
        guard !server.from.isEmpty else {
            throw Failure("Mail needs a sender (from), such as Maple District <id@maple.example>.")
        }
        guard !server.url.isEmpty else {
            throw Failure("Mail needs a mail server (server), such as smtp://mail.maple.example:587.")
        }
        guard server.password == nil || server.passwordFile == nil else {
            throw Failure("Mail has a password and a passwordFile; leave one of them out.")
        }
        for (name, path) in [("passwordFile", server.passwordFile), ("caFile", server.certificateAuthorityFile)] {
            // The server is started in another folder than setup.
            if let path, !path.hasPrefix("/") {
                throw Failure("“mail.\(name)” is “\(path)”. Give the whole path, which begins with /.")
            }
        }
        if let password = server.password, password.isEmpty || password.contains(where: \.isNewline) {
            throw Failure("The password of the mail server is empty, or has a line break.")
        }
        _ = try Mailbox(server.from)
        if let address = server.operatorAddress { _ = try MailAddress(address) }
        _ = try SMTPTransport.Server(
            url: server.url, userName: server.userName, password: server.password ?? server.passwordFile)
        return server
    }

    // MARK: Settings

    /// Puts the answers into settings.
    /// - Parameters:
    ///   - fileDatabase: where a database in a file is.
    ///   - passwordFile: the file to which ``MailServer/password`` goes.
    /// - Returns: the names of the settings that are another than before, in the order in which they are written.
    /// - Throws: ``Failure`` if the settings have something else in the place of an object.
    func apply(to settings: inout SettingsText, fileDatabase: String, passwordFile: String) throws -> [String] {
        var changed: [String] = []
        func put(_ name: String, _ value: String?) throws {
            let before = settings
            let path = name.split(separator: ".").map(String.init)
            if let value { try settings.set(path, to: value) } else { try settings.remove(path) }
            if settings != before { changed.append(name) }
        }
        try put("baseURL", baseURL)
        switch database {
        case .asItIs: break
        // The default needs no setting.
        case .file where settings.value(["database"]) == nil: break
        case .file: try put("database", fileDatabase)
        case .server(let address): try put("database", address)
        }
        switch mail {
        case .asItIs: break
        case .off: try put("mail", nil)
        case .server(let server):
            try put("mail.maildir", nil)
            try put("mail.from", server.from)
            if let address = server.operatorAddress { try put("mail.operator", address) }
            try put("mail.smtp.url", server.url)
            try put("mail.smtp.userName", server.userName)
            try put("mail.smtp.passwordFile", server.password == nil ? server.passwordFile : passwordFile)
            if let file = server.certificateAuthorityFile { try put("mail.smtp.caFile", file) }
        }
        return changed
    }

    /// The content of the file with the password of the mail server; nil if there is none to be written.
    var mailPassword: String? {
        guard case .server(let server) = mail else { return nil }
        return server.password.map { $0 + "\n" }
    }

    /// Whether an address of a database has a password in it, which a file for everybody must not have.
    static func hasPassword(_ address: String) -> Bool {
        (try? PostgresAddress(address))?.environment["PGPASSWORD"] != nil
    }

    var hasSecret: Bool {
        if case .server(let address) = database, Self.hasPassword(address) { return true }
        return mailPassword != nil
    }

    /// The address with a password in it, escaped as URLs want it.
    static func address(_ address: String, password: String) -> String {
        guard !password.isEmpty, var parts = URLComponents(string: address) else { return address }
        parts.password = password
        return parts.string ?? address
    }
}
