import Administration
import Directory
import Ground
import ServerPages

/// The domains in which user names and addresses of the organization lie, and how it is shown that they are its own.
package struct DomainsPage: ConsolePage {
    package let desk: Desk
    package let domains: [DomainRecord]
    package let typed: String
    package let failure: OperationFailure?

    package init(desk: Desk, domains: [DomainRecord], typed: String = "", failure: OperationFailure? = nil) {
        self.desk = desk
        self.domains = domains
        self.typed = typed
        self.failure = failure
    }

    package static let path = "\(ConsoleSection.settings.path)/domains"

    package static func path(of domain: String) -> String { "\(path)/\(FormEncoding.escape(domain))" }

    package var section: ConsoleSection { .settings }
    package var heading: Sentence { Sentence("consoleDomains.heading") }
    package var lead: Sentence? { Sentence("consoleDomains.lead") }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }

    package var parts: [Part] {
        Part.refusals(failure) + [
            .table(
                Table(
                    heading,
                    [
                        .init(Sentence("consoleDomains.domain")), .init(Sentence("consolePeople.state")),
                        .init(Sentence("consoleDomains.since")), .init(Sentence("consoleAccess.action")),
                    ],
                    domains.map { domain in
                        Table.Row([
                            .link(domain.name, to: Self.path(of: domain.name)), domain.state,
                            domain.verifiedAt.map(Cell.day) ?? .nothing,
                            .phrase(Sentence("consoleDomains.remove"), to: "\(Self.path(of: domain.name))/remove"),
                        ])
                    }, empty: Sentence("consoleDomains.none"))),
            .heading(Sentence("consoleDomains.add")),
            .form(
                ConsoleForm(
                    .init(Self.path),
                    [
                        ConsoleField(
                            "domain", .verbatim, Sentence("consoleDomains.domain"), value: typed,
                            hint: Sentence("consoleDomains.hint"), isRequired: true)
                    ], button: Sentence("consoleDomains.add"))),
        ]
    }
}

/// One domain, with the record that shows whose it is.
package struct DomainPage: ConsolePage {
    package let desk: Desk
    package let domain: DomainRecord
    package let failure: OperationFailure?

    package init(desk: Desk, domain: DomainRecord, failure: OperationFailure? = nil) {
        self.desk = desk
        self.domain = domain
        self.failure = failure
    }

    private var path: String { DomainsPage.path(of: domain.name) }

    package var section: ConsoleSection { .settings }
    package var heading: Sentence { .named(domain.name) }
    package var parent: ConsoleLink? { ConsoleLink(Sentence("consoleDomains.heading"), to: DomainsPage.path) }

    package var parts: [Part] {
        var parts =
            Part.refusals(failure) + [
                .facts(
                    [Fact(Sentence("consolePeople.state"), domain.state)]
                        + (domain.verifiedAt.map { [Fact(Sentence("consoleDomains.since"), .day($0))] } ?? []))
            ]
        if domain.verifiedAt == nil, let record = domain.record {
            parts += [
                .heading(Sentence("consoleDomains.prove"), Sentence("consoleDomains.proveLead")),
                .facts([
                    Fact(Sentence("consoleDomains.recordType"), .verbatim("TXT")),
                    Fact(Sentence("consoleDomains.recordName"), .verbatim(record.name)),
                    Fact(Sentence("consoleDomains.recordValue"), .verbatim(record.value)),
                ]),
                .text(Sentence("consoleDomains.wait")),
                .form(ConsoleForm(.init("\(path)/prove"), [], button: Sentence("consoleDomains.check"))),
            ]
        }
        parts.append(.links([ConsoleLink(Sentence("consoleDomains.remove"), to: "\(path)/remove")]))
        return parts
    }
}

extension DomainRecord {
    var state: Cell {
        .mark(
            verifiedAt == nil ? .warning : .success,
            Sentence(verifiedAt == nil ? "consoleDomains.unverified" : "consoleDomains.verified"))
    }
}

/// The words of the page on which a domain is removed.
package enum DomainWords {
    package static let button = Sentence("consoleDomains.remove")
    package static let parent = ConsoleLink(Sentence("consoleDomains.heading"), to: DomainsPage.path)

    package static func heading(_ domain: String) -> Sentence {
        Sentence("consoleDomains.removeHeading", ["domain": .text(domain)])
    }

    /// - Parameter domain: the domain that is removed.
    package static func consequences(_ domain: DomainRecord) -> [Sentence] {
        [Sentence("consoleDomains.removeText")]
            + (domain.verifiedAt == nil ? [] : [Sentence("consoleDomains.removeVerified")])
    }
}
