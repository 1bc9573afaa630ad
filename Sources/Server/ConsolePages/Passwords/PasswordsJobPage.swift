import Administration
import Directory
import ServerPages

/// Passwords for many, while they are made and until they are fetched. The page itself never has any of them.
package struct PasswordsJobPage: ConsolePage {
    /// What the passwords can be had as.
    package enum File: String, CaseIterable, Sendable {
        case slips, large, csv
    }

    package let desk: Desk
    package let job: JobRecord
    /// Nil while they are made, and when they are not kept any more.
    package let issued: IssuedPasswords?
    /// The language in which slips are offered first.
    package let language: Language

    package init(desk: Desk, job: JobRecord, issued: IssuedPasswords?, language: Language) {
        self.desk = desk
        self.job = job
        self.issued = issued
        self.language = language
    }

    private var path: String { "\(GivePasswordsPage.path)/\(job.job)" }
    private var isRunning: Bool { job.state == .waiting || job.state == .running }

    package var section: ConsoleSection { desk.isTeachers ? .home : .people }
    package var heading: Sentence {
        Sentence("consolePasswords.jobHeading_\(headingWord)")
    }
    private var headingWord: String {
        guard job.state == .done else { return job.state.rawValue }
        guard let issued else { return "gone" }
        return isAllWritten(issued) ? "written" : job.state.rawValue
    }
    package var parent: ConsoleLink? {
        ConsoleLink(Sentence("consolePasswords.heading"), to: GivePasswordsPage.path)
    }
    package var refreshSeconds: Int? { isRunning ? 2 : nil }

    package var parts: [Part] {
        switch (job.state, issued) {
        case (.waiting, _), (.running, _):
            [
                .progress(
                    Progress(
                        Sentence("consolePasswords.progress", ["done": .count(job.done), "total": .count(job.total)]),
                        done: job.done, of: job.total)),
                .text(Sentence("consolePasswords.leave")),
                .links([ConsoleLink(Sentence("consolePasswords.again"), to: path)]),
            ]
        case (.failed, _):
            job.failure.map { [.refusal(Sentence("consolePasswords.failed"), detail: $0.detail)] } ?? []
        case (.done, let issued?): parts(of: issued)
        case (.done, nil): [.text(Sentence("consolePasswords.gone"))]
        }
    }

    private func parts(of issued: IssuedPasswords) -> [Part] {
        var parts: [Part] = []
        if !isAllWritten(issued) {
            parts.append(
                .text(
                    Sentence(
                        "consolePasswords.made",
                        ["count": .count(issued.people.count), "day": .day(issued.validUntil)])))
        }
        if let written = issued.written, !written.isEmpty {
            parts.append(
                .text(
                    Sentence(
                        "consolePasswords.written",
                        ["count": .count(written.count), "day": .day(issued.validUntil)])))
        }
        if issued.keptTheirs > 0 {
            parts.append(.text(Sentence("consolePasswords.kept", ["count": .count(issued.keptTheirs)])))
        }
        if !issued.people.isEmpty {
            parts.append(.message(.warning, Sentence("consolePasswords.once")))
            parts.append(.form(fetch))
            parts.append(.heading(Sentence("consolePasswords.deleteHeading"), Sentence("consolePasswords.deleteLead")))
            parts.append(
                .form(
                    ConsoleForm(.init("\(path)/delete"), [], button: Sentence("consolePasswords.delete"), isLine: true))
            )
        }
        parts += letterParts(of: issued)
        if !issued.leftOut.isEmpty {
            parts += [.heading(Sentence("consolePasswords.leftOut")), .table(leftOut(issued))]
        }
        return parts
    }

    /// Whether everybody who has got a password has got it by mail, so that there is nothing to fetch.
    private func isAllWritten(_ issued: IssuedPasswords) -> Bool {
        issued.people.isEmpty && issued.written?.isEmpty == false
    }

    /// Who was written to, and who was not, and why.
    private func letterParts(of issued: IssuedPasswords) -> [Part] {
        var parts: [Part] = []
        if let written = issued.written, !written.isEmpty {
            parts += [.heading(Sentence("consolePasswords.writtenTo")), .table(writtenTo(written))]
            let more = written.count - Self.peopleMax
            if more > 0 { parts.append(.text(Sentence("consoleConfirm.more", ["count": .count(more)]))) }
        }
        let others = issued.people.filter { ($0.noLetter ?? .pupil) != .pupil }
        if !others.isEmpty { parts += [.heading(Sentence("consolePasswords.notWritten")), .table(notWritten(others))] }
        let pupils = issued.people.count { $0.noLetter == .pupil }
        if pupils > 0 { parts.append(.text(Sentence("consolePasswords.pupils", ["count": .count(pupils)]))) }
        return parts
    }

    private func writtenTo(_ written: [IssuedPasswords.Written]) -> Table {
        Table(
            Sentence("consolePasswords.writtenTo"),
            [
                .init(Sentence("consolePeople.name")), .init(Sentence("consolePeople.userName")),
                .init(Sentence("consolePerson.email")),
            ],
            written.prefix(Self.peopleMax).map {
                Table.Row([.text($0.name), .address($0.userName), .address($0.address)])
            },
            empty: Sentence("consolePasswords.writtenTo"))
    }

    private func notWritten(_ people: [IssuedPasswords.Entry]) -> Table {
        Table(
            Sentence("consolePasswords.notWritten"),
            [
                .init(Sentence("consolePeople.name")), .init(Sentence("consolePeople.userName")),
                .init(Sentence("consolePasswords.reason")),
            ],
            people.prefix(Self.peopleMax).compactMap { one in
                guard let reason = one.noLetter else { return nil }
                return Table.Row([
                    .text(one.fullName), .address(one.userName),
                    .sentence(Sentence("consolePasswords.noLetter_\(reason.rawValue)")),
                ])
            },
            empty: Sentence("consolePasswords.notWritten"))
    }

    private var fetch: ConsoleForm {
        ConsoleForm(
            .init("\(path)/file"),
            [
                ConsoleField(
                    "file",
                    .cards(
                        File.allCases.map {
                            .init(
                                $0.rawValue, Sentence("consolePasswords.file_\($0.rawValue)"),
                                $0 == .slips
                                    ? desk.sentence("consolePasswords.file_slipsText")
                                    : Sentence("consolePasswords.file_\($0.rawValue)Text"))
                        }),
                    Sentence("consolePasswords.file"), value: File.slips.rawValue),
                ConsoleField(
                    "language",
                    .choice(
                        Language.allCases.map {
                            .init($0.rawValue, Sentence("consolePasswords.language_\($0.rawValue)"))
                        }),
                    Sentence("consolePasswords.language"), value: language.rawValue),
                ConsoleField(
                    "paper",
                    .choice([
                        .init("a4", Sentence("consolePasswords.paperA4")),
                        .init("letter", Sentence("consolePasswords.paperLetter")),
                    ]), Sentence("consolePasswords.paper"), value: "a4"),
            ],
            button: Sentence("consolePasswords.download"))
    }

    private func leftOut(_ issued: IssuedPasswords) -> Table {
        Table(
            Sentence("consolePasswords.leftOut"),
            [
                .init(Sentence("consolePeople.name")), .init(Sentence("consolePeople.userName")),
                .init(Sentence("consolePasswords.reason")),
            ],
            issued.leftOut.prefix(Self.peopleMax).map {
                .init([
                    .text($0.name), .address($0.userName),
                    .sentence(Sentence("consolePasswords.reason_\($0.reason.rawValue)")),
                ])
            },
            empty: Sentence("consolePasswords.leftOut"))
    }

    /// Names that a table has at most.
    private static let peopleMax = 200

    static let sentences =
        (JobRecord.State.allCases.map(\.rawValue) + ["gone", "written"])
        .map { Sentence("consolePasswords.jobHeading_\($0)") }
        + File.allCases.flatMap {
            [Sentence("consolePasswords.file_\($0.rawValue)"), Sentence("consolePasswords.file_\($0.rawValue)Text")]
        } + Language.allCases.map { Sentence("consolePasswords.language_\($0.rawValue)") }
        + IssuedPasswords.LeftOut.Reason.allCases.map { Sentence("consolePasswords.reason_\($0.rawValue)") }
        + IssuedPasswords.NoLetter.allCases.filter { $0 != .pupil }
        .map { Sentence("consolePasswords.noLetter_\($0.rawValue)") }
}
