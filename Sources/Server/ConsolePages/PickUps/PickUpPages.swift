import Administration
import Directory
import RosterFiles
import ServerPages

/// The folders that the server reads once a day, and the form that sets one up.
package struct PickUpsPage: ConsolePage {
    package let desk: Desk
    package let found: ListPickUps.Answer
    /// The schools that can have files of their own.
    package let locations: LocationChoices
    /// Whether those who may import are told by mail what came of it.
    package let sendsMail: Bool
    package let typed: [String: String]
    package let failure: OperationFailure?

    package init(
        desk: Desk, found: ListPickUps.Answer, locations: LocationChoices, sendsMail: Bool,
        typed: [String: String] = [:], failure: OperationFailure? = nil
    ) {
        self.desk = desk
        self.found = found
        self.locations = locations
        self.sendsMail = sendsMail
        self.typed = typed
        self.failure = failure
    }

    package static let path = "\(ImportWords.path)/pick-ups"

    package var section: ConsoleSection { .imports }
    package var heading: Sentence { Sentence("consolePickUps.heading") }
    package var lead: Sentence? {
        Sentence(sendsMail ? "consolePickUps.lead" : "consolePickUps.leadWithoutMail")
    }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }

    package var parts: [Part] {
        var parts = Part.refusals(failure)
        if found.folder == nil {
            parts += [
                .message(.warning, Sentence("consolePickUps.noFolder")),
                .code("\"pickUpFolder\": \"/var/lib/lanyard-drop\""),
            ]
        }
        parts.append(.table(table))
        // Without several schools there is one folder at most: that of the whole organization.
        if locations.areSeveral || !found.pickUps.contains(where: { $0.schoolID == nil }) {
            parts += [.heading(Sentence("consolePickUps.add")), .form(form)]
        }
        return parts
    }

    private var table: Table {
        Table(
            heading,
            [
                .init(Sentence("consoleImports.whose")), .init(Sentence("consolePickUps.hour")),
                .init(Sentence("consolePickUps.last")), .init(Sentence("consolePickUps.outcome")),
            ],
            found.pickUps.map { one in
                Table.Row([
                    .phrase(PickUpWords.name(of: one), to: "\(Self.path)/\(one.pickUp)"),
                    .sentence(PickUpWords.hour(one.hour)), one.readAt.map(Cell.day) ?? .nothing,
                    PickUpWords.outcome(one),
                ])
            }, empty: Sentence("consolePickUps.none"))
    }

    private var form: ConsoleForm {
        var fields: [ConsoleField] = []
        if locations.areSeveral {
            fields.append(
                locations.field(
                    "school", Sentence("consoleImports.whose"), nowhere: Sentence("consoleImports.everybody"),
                    value: typed["school"] ?? "", hint: Sentence("consoleImports.schoolHint")))
        }
        fields += PickUpWords.fields(hour: typed["hour"] ?? "2", key: typed["key"] ?? "")
        // A folder that somebody has set up meanwhile is changed on its own page.
        return ConsoleForm(
            .init(Self.path, [("version", String.versionOfNothing)]), fields, button: Sentence("consolePickUps.set"))
    }
}

/// One folder: how files get there, when it is read, and what came of it the last time.
package struct PickUpPage: ConsolePage {
    package let desk: Desk
    package let shown: ShowPickUp.Answer
    /// What was typed, by the names of the fields; nil for what is in force.
    package let typed: [String: String]?
    package let failure: OperationFailure?

    package init(
        desk: Desk, shown: ShowPickUp.Answer, typed: [String: String]? = nil, failure: OperationFailure? = nil
    ) {
        self.desk = desk
        self.shown = shown
        self.typed = typed
        self.failure = failure
    }

    private var path: String { "\(PickUpsPage.path)/\(shown.pickUp.pickUp)" }

    package var section: ConsoleSection { .imports }
    package var heading: Sentence { PickUpWords.name(of: shown.pickUp) }
    package var parent: ConsoleLink? { ConsoleLink(Sentence("consolePickUps.heading"), to: PickUpsPage.path) }

    package var parts: [Part] {
        let one = shown.pickUp
        var parts = Part.refusals(failure)
        parts.append(
            .facts([
                Fact(Sentence("consolePickUps.hour"), .sentence(PickUpWords.hour(one.hour))),
                Fact(Sentence("consolePickUps.folder"), one.folder.map(Cell.verbatim) ?? .nothing),
                Fact(Sentence("consolePickUps.last"), one.readAt.map(Cell.day) ?? .nothing),
                Fact(Sentence("consolePickUps.outcome"), PickUpWords.outcome(one)),
            ]))
        if one.folder != nil {
            parts.append(.form(ConsoleForm(.init("\(path)/read"), [], button: Sentence("consolePickUps.read"))))
        }
        parts += last
        if let folder = one.folder {
            parts += [
                .heading(Sentence("consolePickUps.commands"), Sentence("consolePickUps.commandsLead")),
                .code(SetUpCommands.text(for: one, folder: folder)),
                .text(Sentence("consolePickUps.sending")),
                .code("sftp \(one.account)@\(SetUpCommands.host)\nput *.csv files/"),
            ]
        }
        parts += [
            .heading(Sentence("consolePickUps.change")), .form(change),
            .heading(Sentence("consolePickUps.end"), Sentence("consolePickUps.endLead")),
            .form(ConsoleForm(.init("\(path)/remove"), [], button: Sentence("consolePickUps.remove"))),
        ]
        return parts
    }

    private var change: ConsoleForm {
        let (hour, key) = (typed?["hour"] ?? "\(shown.pickUp.hour)", typed?["key"] ?? shown.pickUp.key ?? "")
        return ConsoleForm(
            .init(path, [("version", shown.pickUp.version)]), PickUpWords.fields(hour: hour, key: key),
            button: Sentence("console.save"))
    }

    /// Warnings alone are no reason to think that the files are wrong: they have been imported.
    private var last: [Part] {
        guard let last = shown.last else { return [] }
        var parts: [Part] = []
        if let problem = last.problem { parts.append(.refusal(Sentence("consolePickUps.problem"), detail: problem)) }
        guard let report = last.report else { return parts }
        let errors = report.defects.errors
        if !errors.isEmpty {
            parts.append(.heading(Sentence("consoleImports.defects")))
            parts += DefectTable.parts(errors, of: report)
            parts.append(.links([ConsoleLink(Sentence("consoleImports.download"), to: "\(path)/defects.csv")]))
        } else if !report.warnings.isEmpty {
            parts += ReportTable.warnings(report, at: path)
        }
        return parts
    }
}

/// What whoever runs the server types, so that an account can put files into the folder by SFTP and do nothing else.
enum SetUpCommands {
    /// Stands for the server's name, which whoever runs it knows.
    static let host = "SERVER"

    /// - Parameter folder: `…/lanyard-drop-1/files`.
    static func text(for one: PickUpRecord, folder: String) -> String {
        let home = String(folder.dropLast("/files".count))
        let account = one.account
        return """
            # Once for the server
            sudo groupadd --system --force lanyard-drop
            sudo install -d -m 755 /etc/ssh/lanyard-drop
            sudo tee /etc/ssh/sshd_config.d/lanyard-drop.conf <<'END'
            Match Group lanyard-drop
                AuthenticationMethods publickey
                AuthorizedKeysFile /etc/ssh/lanyard-drop/%u
                ChrootDirectory \(quoted(String(home.dropLast(account.count))))%u
                ForceCommand internal-sftp -u 0027
                DisableForwarding yes
            END

            # For this folder; lanyard is the group under which the server runs
            sudo useradd --system --no-create-home --home-dir / --shell /usr/sbin/nologin --gid lanyard-drop \(account)
            sudo install -d -o root -g root -m 755 \(quoted(home))
            sudo install -d -o \(account) -g lanyard -m 2750 \(quoted(folder))
            echo 'restrict \(one.key ?? "PUBLIC KEY OF THE INFORMATION SYSTEM")' | sudo tee /etc/ssh/lanyard-drop/\(account)
            sudo sshd -t && sudo systemctl reload ssh
            """
    }

    /// For a shell and for the file of sshd; a path of the settings can have spaces.
    private static func quoted(_ path: String) -> String {
        path.allSatisfy { $0.isLetter || $0.isNumber || "/._-".contains($0) }
            ? path : "'\(path.replacing("'", with: "'\\''"))'"
    }
}

enum PickUpWords {
    static func name(of one: PickUpRecord) -> Sentence {
        one.school.map { .named($0) } ?? Sentence("consoleImports.everybody")
    }

    /// At which hour a folder is read, and with which key files come into it.
    static func fields(hour: String, key: String) -> [ConsoleField] {
        [
            ConsoleField(
                "hour", .choice((0..<24).map { .init("\($0)", Self.hour($0)) }), Sentence("consolePickUps.hour"),
                value: hour),
            ConsoleField(
                "key", .lines, Sentence("consolePickUps.key"), value: key, hint: Sentence("consolePickUps.keyHint")),
        ]
    }

    static func hour(_ hour: Int) -> Sentence {
        Sentence("consolePickUps.at", ["hour": .text(hour < 10 ? "0\(hour)" : "\(hour)")])
    }

    static func outcome(_ one: PickUpRecord) -> Cell {
        guard let outcome = one.outcome else { return .sentence(Sentence("consolePickUps.never")) }
        let tone: Part.MessageTone =
            switch outcome {
            case .applied: .success
            case .nothingToDo: .notice
            case .held, .missing, .unfinished: .warning
            case .defective, .unreadable: .danger
            }
        return .mark(tone, Sentence("consolePickUps.outcome_\(key(outcome))"))
    }

    private static func key(_ outcome: RosterPickUp.Outcome) -> String { outcome.rawValue.sentenceName }

    static let sentences = RosterPickUp.Outcome.allCases.map { Sentence("consolePickUps.outcome_\(key($0))") }
}
