import Administration
import ArgumentParser
import CommandOutput
import Directory

struct ConsentLimitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limit", abstract: "Say on which day a consent ends, or that it has no end.",
        discussion: """
            Six weeks before, and once more in the last week, those who decide are asked by mail to renew it. When the \
            day is over, the consent ends as if it were revoked, and the app is told.

            For example:
              lanyard consent limit Quizzler --last-day 2027-07-31
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var app: SharedAppArgument

    @Option(help: "The last day on which the app may read, such as 2027-07-31, or none.")
    var lastDay: String

    func run() async throws {
        let change = LimitConsent(app: app.reference, lastDay: lastDay)
        let record = try await Deployment.administrate(global) {
            try await $0.perform(change, in: app.organization.reference).answer
        }
        try output.print(record) { record.endText }
    }
}

struct ConsentRenewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew", abstract: "Renew a consent that has an end.",
        discussion: "It lasts until the day that is given, or as `lanyard consent term` says, or for a year.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var app: SharedAppArgument

    @Option(help: "Until when, such as 2028-07-31.")
    var lastDay: String?

    func run() async throws {
        let change = RenewConsent(app: app.reference, lastDay: lastDay)
        let record = try await Deployment.administrate(global) {
            try await $0.perform(change, in: app.organization.reference).answer
        }
        try output.print(record) { record.endText }
    }
}

struct ConsentTermCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "term", abstract: "Say how long consents last that are given or renewed from now on.",
        discussion: """
            A day of each year, such as 07-31, that comes within six weeks is left out: the consent lasts until the \
            next one. Consents that there are keep their end; `lanyard consent limit` gives them another.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var organization: OrganizationOption

    @Argument(help: "year, a day of each year such as 07-31, or unlimited.")
    var ends: String

    func run() async throws {
        let record = try await Deployment.administrate(global) {
            try await $0.perform(SetConsentTerm(ends: ends), in: organization.reference).answer
        }
        try output.print(record) {
            "Consents that are given or renewed from now on last \(record.term.consentTermWords)"
                + (record.lastDay.map { ": today that is \($0.text)." } ?? ".")
        }
    }
}

extension ConsentRecord {
    fileprivate var endText: String {
        lastDay.map { "\(app) reads until \($0.text), unless it is revoked before." }
            ?? "\(app) reads until it is revoked."
    }
}
