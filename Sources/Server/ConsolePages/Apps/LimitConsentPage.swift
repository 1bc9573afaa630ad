import Administration
import Directory
import ServerPages

/// The page on which the last day of a consent is chosen.
package struct LimitConsentPage: ConsolePage {
    package let desk: Desk
    package let consent: ConsentRecord
    /// Whether those who decide are reminded by mail.
    package let sendsMail: Bool
    package let typed: String?
    package let failure: OperationFailure?

    package init(
        desk: Desk, consent: ConsentRecord, sendsMail: Bool, typed: String? = nil, failure: OperationFailure? = nil
    ) {
        self.desk = desk
        self.consent = consent
        self.sendsMail = sendsMail
        self.typed = typed
        self.failure = failure
    }

    private var path: String { AppWords.path(of: consent.appNumber) }

    package var section: ConsoleSection { .apps }
    package var heading: Sentence { Sentence("consoleApp.limitHeading", ["app": .text(consent.app.shown)]) }
    package var parent: ConsoleLink? { ConsoleLink(.named(consent.app), to: path) }
    package var lead: Sentence? {
        Sentence(sendsMail ? "consoleApp.limitText" : "consoleApp.limitTextWithoutMail")
    }

    /// Says until when a renewal lasts, because it is not offered for a consent that lasts longer.
    private var hint: Sentence {
        consent.renewalLastDay.map { Sentence("consoleApp.limitRenewal", ["day": .day($0.date)]) }
            ?? Sentence("consoleApp.limitHint")
    }

    package var parts: [Part] {
        Part.refusals(failure) + [
            .form(
                ConsoleForm(
                    .init("\(path)/limit", [("version", consent.version)]),
                    [
                        ConsoleField(
                            "lastDay", .date, Sentence("consoleApp.end"),
                            value: typed ?? consent.lastDay?.text ?? "", hint: hint)
                    ], button: Sentence("console.save"),
                    cancel: ConsoleLink(Sentence("console.cancel"), to: path)))
        ]
    }
}
