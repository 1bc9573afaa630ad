import CommandOutput
import Foundation
import Ground
import Mail
import Storage

/// Where questions are asked.
protocol SetupTerminal {
    func say(_ text: String)
    /// - Parameter hidden: whether the answer is not shown while it is typed.
    /// - Returns: a line without its line break; nil if nobody answers any more.
    func line(_ prompt: String, hidden: Bool) -> String?
}

/// Asks the five questions. An answer that cannot be is asked for again, with the reason.
struct SetupInterview {
    let terminal: any SetupTerminal
    /// What is offered, and what cannot be answered otherwise.
    let presets: SetupPresets
    /// Whether a database can be used: throws an error whose description says why not.
    let tryDatabase: (SetupAnswers.DatabaseChoice) async throws -> Void

    /// - Throws: ``Failure`` if nobody answers any more.
    func answers() async throws -> SetupAnswers {
        terminal.say(
            """
            Five questions, and the server is set up. Enter alone takes what stands in brackets; Ctrl-C ends this, and nothing was changed.
            """)
        terminal.say("\n1. The organization, as people know it, such as Maple District.")
        let name = try await ask("Name", nil) { try SetupAnswers.checkedName($0) }
        terminal.say("\n2. Its domain. Email addresses and user names lie in it, such as maple.example.")
        let domain = try await ask("Domain", nil) { try SetupAnswers.checkedDomain($0) }
        terminal.say(
            """

            3. The address at which people and apps reach this server. It stays: passkeys and apps are bound to it.
            """)
        say(presets.address)
        let address = try await ask("Address", presets.address?.value ?? "https://id.\(domain)") {
            let address = try SetupAnswers.checkedAddress($0)
            if let preset = presets.address, preset.isDecided,
                address != (try SetupAnswers.checkedAddress(preset.value))
            {
                throw preset.refusal
            }
            return address
        }
        terminal.say(
            """

            4. A mail server, for forgotten passwords, first passwords of staff, and notices: smtp://host:port, smtps://host, or none.
            """)
        let mail = try await mail(name: name, domain: domain)
        terminal.say(
            """

            5. The database: sqlite, a file beside the server, which is enough for a school; or a server of PostgreSQL, such as
            postgres://lanyard@db.\(domain)/lanyard. Leave a password out; it is asked for next, and not shown.
            """)
        let database = try await database()
        return SetupAnswers(name: name, domain: domain, baseURL: address, mail: mail, database: database)
    }

    private func mail(name: String, domain: String) async throws -> SetupAnswers.Mail {
        let known = presets.mailServer
        let decided = [known, presets.mailFolder].compactMap(\.self).first(where: \.isDecided)
        say(known ?? presets.mailFolder)
        while true {
            // Where only the server is decided, the sender is still to be asked for.
            let isKept = presets.mailFolder != nil || (decided != nil && presets.sender != nil)
            let url = try await ask("Mail server", isKept ? "as it is" : known?.value ?? "none") {
                if let decided, $0 != "as it is", $0 != known?.value { throw decided.refusal }
                return $0
            }
            if url == "none" { return .off }
            if isKept, url == "as it is" { return .asItIs }
            if url == known?.value, presets.sender != nil { return .asItIs }
            // What is wrong with the server alone is said before anything else is asked.
            let from = "\(name) <id@\(domain)>"
            do {
                _ = try SetupAnswers.checked(.init(from: "id@\(domain)", url: url))
            } catch {
                terminal.say("\(error)")
                continue
            }
            say(presets.sender)
            let sender = try await ask("Sender of the mails", presets.sender?.value ?? from) {
                try presets.sender?.check($0)
                _ = try SetupAnswers.checked(.init(from: $0, url: url))
                return $0
            }
            let user = try await ask("User at the mail server, if it wants one", "none") { $0 }
            var server = SetupAnswers.MailServer(from: sender, url: url)
            if user != "none" {
                server.userName = user
                server.password = try await ask("Password, which is not shown", nil, hidden: true) {
                    _ = try SetupAnswers.checked(.init(from: sender, url: url, userName: user, password: $0))
                    return $0
                }
            }
            server.operatorAddress = try await ask("Who gets a mail if something is wrong with the server", "none") {
                guard $0 != "none" else { return nil }
                _ = try MailAddress($0)
                return $0
            }
            return .server(server)
        }
    }

    private func database() async throws -> SetupAnswers.DatabaseChoice {
        let known = presets.database
        say(known)
        while true {
            let typed = try await ask("Database", known == nil ? "sqlite" : "as it is") { text in
                if known != nil, text == "as it is" { return SetupAnswers.DatabaseChoice.asItIs }
                if let known, known.isDecided {
                    try known.check(text)
                    return .asItIs
                }
                let choice = try SetupAnswers.checkedDatabase(text)
                if case .server(let address) = choice, SetupAnswers.hasPassword(address) {
                    throw Failure("Leave the password out of the address; it is asked for next.")
                }
                return choice
            }
            var choice = typed
            if case .server(let address) = typed {
                let password = try await ask("Password, which is not shown; Enter alone for none", "", hidden: true) {
                    $0
                }
                choice = .server(SetupAnswers.address(address, password: password))
            }
            do {
                try await tryDatabase(choice)
                return choice
            } catch {
                terminal.say("\(error)")
            }
        }
    }

    private func say(_ preset: SetupPresets.Preset?) {
        if let preset { terminal.say(preset.text) }
    }

    /// Asks until `check` takes the answer.
    /// - Parameter preset: what an empty answer means; nil if there has to be one.
    private func ask<Value>(
        _ label: String, _ preset: String?, hidden: Bool = false, _ check: (String) throws -> Value
    ) async throws -> Value {
        let offer = preset.map { $0.isEmpty ? "" : " [\($0)]" } ?? ""
        while true {
            guard let line = terminal.line("\(label)\(offer): ", hidden: hidden) else {
                throw Failure("Nothing was changed.")
            }
            let text = hidden ? line : line.trimmingSpaces
            do {
                return try check(text.isEmpty ? preset ?? "" : text)
            } catch {
                terminal.say("\(error)")
            }
        }
    }
}
