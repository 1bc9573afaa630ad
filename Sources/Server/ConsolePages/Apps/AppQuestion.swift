import Administration
import Directory
import ServerPages

/// What renewing or revoking a consent means.
package enum AppQuestion {
    package static func renewHeading(_ consent: ConsentRecord) -> Sentence {
        Sentence("consoleApp.renewHeading", ["app": .text(consent.app.shown)])
    }
    package static var renewButton: Sentence { Sentence("consoleApp.renew") }

    package static func renewal(_ consent: ConsentRecord) -> [Sentence] {
        guard let end = consent.lastDay, let renewed = consent.renewalLastDay else { return [] }
        return [Sentence("consoleApp.renewText", ["day": .day(end.date), "renewed": .day(renewed.date)])]
    }

    package static func revokeHeading(_ consent: ConsentRecord) -> Sentence {
        Sentence("consoleApp.revokeHeading", ["app": .text(consent.app.shown)])
    }
    package static var revokeButton: Sentence { Sentence("consoleApp.revoke") }

    package static func revoking(_ consent: ConsentRecord) -> [Sentence] {
        [
            Sentence("consoleApp.revokeTold", ["app": .text(consent.app.shown)]),
            Sentence("consoleApp.revokeSignIn", ["app": .text(consent.app.shown)]),
            Sentence("consoleApp.revokeAnew", ["app": .text(consent.app.shown)]),
        ]
    }
}
