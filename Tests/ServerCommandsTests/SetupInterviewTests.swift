import Testing

@testable import CommandOutput
@testable import ServerCommands

@Suite("The questions of setup")
struct SetupInterviewTests {
    /// Answers from a list; nobody answers once it is empty.
    private final class Script: SetupTerminal {
        var answers: [String]
        var said: [String] = []
        var hidden: [String] = []
        init(_ answers: [String]) { self.answers = answers }
        func say(_ text: String) { said.append(text) }
        func line(_ prompt: String, hidden: Bool) -> String? {
            said.append(prompt)
            if hidden { self.hidden.append(prompt) }
            return answers.isEmpty ? nil : answers.removeFirst()
        }
    }

    @Test("Enter alone takes what is offered")
    func defaults() async throws {
        let script = Script(["Maple District", "maple.example", "", "", ""])
        let answers = try await SetupInterview(terminal: script, presets: SetupPresets()) { _ in }.answers()
        #expect(
            answers
                == SetupAnswers(
                    name: "Maple District", domain: "maple.example", baseURL: "https://id.maple.example", mail: .off,
                    database: .file))
    }

    @Test("A wrong answer is asked for again, with the reason; secrets are hidden")
    func again() async throws {
        let script = Script([
            "", "Maple District", "maple", "maple.example", "http://id.maple.example", "id.maple.example",
            "http://mail", "smtp://mail.maple.example:587", "nobody", "Maple <id@maple.example>", "lanyard", "",
            "geheim", "nobody", "it@maple.example",
            "mysql://x", "postgres://lanyard:p@db/lanyard", "postgres://lanyard@down/lanyard", "one",
            "postgres://lanyard@db/lanyard",
            "p@ss/word",
        ])
        let interview = SetupInterview(terminal: script, presets: SetupPresets()) { choice in
            if case .server(let address) = choice, address.contains("@down/") { throw Failure("it is down") }
        }
        let answers = try await interview.answers()
        #expect(
            answers
                == SetupAnswers(
                    name: "Maple District", domain: "maple.example", baseURL: "https://id.maple.example",
                    mail: .server(
                        .init(
                            from: "Maple <id@maple.example>", url: "smtp://mail.maple.example:587", userName: "lanyard",
                            password: "geheim", operatorAddress: "it@maple.example")),
                    database: .server("postgres://lanyard:p%40ss%2Fword@db/lanyard")))
        #expect(script.hidden.count == 4)
        #expect(script.said.contains("it is down"))
        #expect(script.said.contains { $0.contains("Leave the password out") })
        #expect(script.answers.isEmpty)
    }

    @Test("Settings that are there are offered, and stay")
    func offers() async throws {
        func preset(_ value: String) -> SetupPresets.Preset {
            .init(value: value, source: "lanyard.json", isDecided: false)
        }
        let presets = SetupPresets(
            address: preset("https://sso.maple.example"), mailServer: preset("smtp://m.example"),
            sender: preset("a@maple.example"), database: preset("postgres://db/x"))
        let script = Script(["Maple District", "maple.example", "", "", ""])
        let answers = try await SetupInterview(terminal: script, presets: presets) { _ in }.answers()
        #expect(script.said.contains("So far: postgres://db/x, from lanyard.json."))
        #expect(answers.baseURL == "https://sso.maple.example")
        #expect(answers.mail == .asItIs)
        #expect(answers.database == .asItIs)
    }

    @Test("What the environment says is offered, and nothing else is taken")
    func decided() async throws {
        func preset(_ value: String, _ variable: String) -> SetupPresets.Preset {
            .init(value: value, source: variable, isDecided: true)
        }
        let presets = SetupPresets(
            address: preset("https://sso.maple.example/", "LANYARD_BASE_URL"),
            mailServer: preset("smtp://m.example", "LANYARD_MAIL_SMTP_URL"),
            sender: preset("id@maple.example", "LANYARD_MAIL_FROM"),
            database: preset("postgres://db/x", "LANYARD_DATABASE"))
        let script = Script([
            "Maple District", "maple.example", "id.maple.example", "", "none", "smtp://other.example", "", "sqlite",
            "postgres://db/y", "",
        ])
        let answers = try await SetupInterview(terminal: script, presets: presets) { _ in }.answers()
        #expect(answers.baseURL == "https://sso.maple.example")
        #expect(answers.mail == .asItIs)
        #expect(answers.database == .asItIs)
        #expect(script.answers.isEmpty)
        for (variable, count) in [("LANYARD_BASE_URL", 1), ("LANYARD_MAIL_SMTP_URL", 2), ("LANYARD_DATABASE", 2)] {
            #expect(script.said.count { $0.hasPrefix("\(variable) in the environment says otherwise") } == count)
            #expect(
                script.said.contains { $0.hasPrefix("So far: ") && $0.contains("from \(variable) in the environment") })
        }
    }

    @Test("Where only the mail server is decided, the sender is asked for")
    func senderIsAskedFor() async throws {
        let presets = SetupPresets(
            mailServer: .init(value: "smtp://m.example", source: "LANYARD_MAIL_SMTP_URL", isDecided: true))
        let script = Script(["Maple District", "maple.example", "", "", "", "", "", ""])
        let answers = try await SetupInterview(terminal: script, presets: presets) { _ in }.answers()
        #expect(
            answers.mail == .server(.init(from: "Maple District <id@maple.example>", url: "smtp://m.example")))
        #expect(script.answers.isEmpty)
    }

    @Test(
        "A setting has one variable",
        arguments: [
            ("baseURL", "LANYARD_BASE_URL"), ("mail.smtp.userName", "LANYARD_MAIL_SMTP_USER_NAME"),
            ("mail.smtp.caFile", "LANYARD_MAIL_SMTP_CA_FILE"), ("database", "LANYARD_DATABASE"),
        ])
    func variables(key: String, variable: String) { #expect(Settings.variable(key) == variable) }

    @Test("Where nobody answers any more, it ends")
    func ends() async throws {
        let interview = SetupInterview(terminal: Script(["Maple District"]), presets: SetupPresets()) { _ in }
        await #expect(throws: Failure.self) { try await interview.answers() }
    }
}
