import Administration
import Directory
import Ground
import ServerPages

/// Whom to give passwords: a class, a location, or everybody without one.
package struct GivePasswordsPage: ConsolePage {
    /// What narrows it. It stands in the address.
    package struct Query: Sendable {
        /// A class id, a name, or `CL-` and a number.
        package var rosterClass: String?
        /// `LO:` and a number.
        package var location: String?
        package var role: Role?
        /// Whether people who have a password get a new one too.
        package var replaces: Bool
        /// Whether members of staff get theirs by mail.
        package var sendsLetters: Bool

        package init(
            class rosterClass: String?, location: String?, role: Role?, replaces: Bool, sendsLetters: Bool
        ) {
            self.rosterClass = rosterClass
            self.location = location
            self.role = role
            self.replaces = replaces
            self.sendsLetters = sendsLetters
        }

        package var isAnybody: Bool { rosterClass == nil && location == nil && role == nil }

        package var fields: [(String, String)] {
            [
                rosterClass.map { ("class", $0) }, location.map { ("at", $0) }, role.map { ("role", $0.rawValue) },
                replaces ? ("who", "all") : nil, sendsLetters ? ("how", "letters") : nil,
            ].compactMap(\.self)
        }
    }

    /// Why the page is shown again.
    package enum Problem: Sendable {
        /// Passwords of the whole organization are not replaced at once: that signs everybody out.
        case everybody
        /// Nobody would get a password.
        case nobody
        case refused(OperationFailure)
    }

    package let desk: Desk
    package let query: Query
    /// Whether the server sends mail, so that letters are offered.
    package let sendsMail: Bool
    package let locations: LocationChoices
    package let jobs: [JobRecord]
    package let problem: Problem?

    package init(
        desk: Desk, query: Query, sendsMail: Bool, locations: LocationChoices, jobs: [JobRecord],
        problem: Problem? = nil
    ) {
        self.desk = desk
        self.query = query
        self.sendsMail = sendsMail
        self.locations = locations
        self.jobs = jobs
        self.problem = problem
    }

    package static let path = "\(ConsoleSection.people.path)/passwords"

    package var section: ConsoleSection { desk.isTeachers ? .home : .people }
    package var heading: Sentence { Sentence("consolePasswords.heading") }
    package var lead: Sentence? { Sentence("consolePasswords.lead") }
    package var parent: ConsoleLink? {
        ConsoleLink(
            desk.isTeachers ? section.label : Sentence("consolePeople.heading"), to: section.path)
    }

    package var parts: [Part] { problems + jobParts + [.form(form)] }

    private var problems: [Part] {
        switch problem {
        case .everybody: [.message(.danger, desk.sentence("consolePasswords.everybody"))]
        case .nobody: [.message(.notice, Sentence("consolePasswords.nobody"))]
        case .refused(let failure): Part.refusals(failure)
        case nil: []
        }
    }

    /// The jobs that go on, whose passwords wait to be fetched, or that have failed lately.
    private var jobParts: [Part] {
        jobs.isEmpty
            ? []
            : [
                .tasks(
                    jobs.map { job in
                        ToDo(
                            job.state == .failed ? .danger : job.state == .done ? .warning : .open,
                            Sentence("consolePasswords.job_\(job.state.rawValue)"),
                            job.failure.map {
                                Sentence(
                                    "consolePasswords.jobFailedOn",
                                    ["day": .day(job.createdAt), "reason": .text($0.detail)])
                            }
                                ?? Sentence(
                                    "consolePasswords.jobOn",
                                    ["day": .day(job.createdAt), "count": .count(job.total)]),
                            link: ConsoleLink(Sentence("consolePasswords.jobLink"), to: "\(Self.path)/\(job.job)"))
                    })
            ]
    }

    private var form: ConsoleForm {
        let all = ConsoleField.Option("", Sentence("consolePeople.all"))
        var fields: [ConsoleField] = []
        if desk.isSchool {
            fields.append(
                ConsoleField(
                    "class", .verbatim, Sentence("consolePasswords.class"), value: query.rosterClass ?? "",
                    hint: Sentence("consolePasswords.classHint")))
        }
        if !desk.isTeachers {
            if !locations.isEmpty {
                fields.append(
                    locations.field(
                        "at", Sentence("consolePeople.location"), nowhere: Sentence("consolePeople.all"),
                        value: query.location ?? ""))
            }
            fields.append(
                ConsoleField(
                    "role",
                    .choice([all] + desk.roles.map { .init($0.rawValue, $0.word) }),
                    Sentence("consolePeople.role"), value: query.role?.rawValue ?? ""))
        }
        fields.append(
            ConsoleField(
                "who",
                .cards([
                    .init("without", Sentence("consolePasswords.without"), Sentence("consolePasswords.withoutText")),
                    .init("all", Sentence("consolePasswords.replace"), desk.sentence("consolePasswords.replaceText")),
                ]),
                Sentence("consolePasswords.who"), value: query.replaces ? "all" : "without"))
        // Teachers give passwords to pupils, and pupils get no letters.
        if sendsMail, !desk.isTeachers { fields.append(how) }
        return ConsoleForm(
            .init(Self.path, [("look", "yes")], isQuery: true), fields, button: Sentence("consolePasswords.look"),
            cancel: parent.map { ConsoleLink(Sentence("console.cancel"), to: $0.path) })
    }

    private var how: ConsoleField {
        ConsoleField(
            "how",
            .cards([
                .init("slips", Sentence("consolePasswords.slips"), Sentence("consolePasswords.slipsText")),
                .init(
                    "letters", Sentence("consolePasswords.letters"), desk.sentence("consolePasswords.lettersText")),
            ]),
            Sentence("consolePasswords.how"), value: query.sendsLetters ? "letters" : "slips")
    }

    static let sentences = JobRecord.State.allCases.map { Sentence("consolePasswords.job_\($0.rawValue)") }
}
