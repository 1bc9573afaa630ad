import Authorization
import Directory
import Storage

/// Gives a consent another last day, or none.
package struct LimitConsent: Change {
    package typealias Answer = ConsentRecord

    package static let name = "consent.limit"
    package static let summary = """
        Says on which day a consent ends, or that it has no end. Some weeks before, those who decide are asked by mail \
        to renew it.
        """
    package static let privilege = Privilege.shareData
    package static let route = OperationRoute(.post, "apps/{app}/consent/last-day")
    package static let explanations = [
        "app": AppReference.explanation,
        "lastDay": "The last day on which the app may read, such as `2027-07-31`, or `none`.",
    ]
    package static let undo = UndoRule.possible

    package let app: AppReference
    package let lastDay: String

    package init(app: AppReference, lastDay: String) {
        self.app = app
        self.lastDay = lastDay
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> AppConsent {
        try app.findConsentToLimit(in: context, transaction)
    }

    package func carryOut(on given: AppConsent, _: Void, in act: Act) throws -> ConsentRecord {
        let day = lastDay == "none" ? nil : try CalendarDay.checked(lastDay, field: "last day")
        guard day != given.consent.lastDay else {
            throw OperationError.refused(
                day.map { "The consent for \(given.app.name) ends on \($0.text) already." }
                    ?? "The consent for \(given.app.name) has no end already.")
        }
        try act.limit(given, to: day, .consentLimited)
        return try ConsentRecord(given, in: act.context, act.transaction)
    }
}

/// Lets a consent last longer, as if it were given anew.
package struct RenewConsent: Change {
    package typealias Answer = ConsentRecord

    package static let name = "consent.renew"
    package static let summary = """
        Renews a consent that has an end: until the day that is given, or for as long as the organization's consents last.
        """
    package static let privilege = Privilege.shareData
    package static let route = OperationRoute(.post, "apps/{app}/consent/renew")
    package static let explanations = [
        "app": AppReference.explanation,
        "lastDay": """
        Until when, such as `2028-07-31`: later than it lasts now. Left out: as `consent.term` says, or for a year from \
        today, which `renewalLastDay` of the consent tells.
        """,
    ]
    package static let undo = UndoRule.possible

    package let app: AppReference
    package let lastDay: String?

    package init(app: AppReference, lastDay: String? = nil) {
        self.app = app
        self.lastDay = lastDay
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> AppConsent {
        try app.findConsentToLimit(in: context, transaction)
    }

    package func carryOut(on given: AppConsent, _: Void, in act: Act) throws -> ConsentRecord {
        guard let former = given.consent.lastDay else {
            throw OperationError.refused("The consent for \(given.app.name) has no end, and needs no renewal.")
        }
        let day: CalendarDay
        if let lastDay {
            day = try CalendarDay.checked(lastDay, field: "last day")
            guard day > former else {
                throw OperationError.invalid(
                    field: "last day",
                    reason: "is not after \(former.text), until which the consent for \(given.app.name) lasts already")
            }
        } else {
            day = try given.consent.renewedLastDay(at: act.now, in: act.transaction)
            guard day > former else {
                throw OperationError.refused(
                    """
                    The consent for \(given.app.name) lasts until \(former.text) already. Renewed today, it would last \
                    until \(day.text), and so would not last longer.
                    """, remedy: .init(LimitConsent.name, given.app.name, use: .looking("gives it any last day")))
            }
        }
        try act.limit(given, to: day, .consentRenewed)
        return try ConsentRecord(given, in: act.context, act.transaction)
    }
}

extension Act {
    fileprivate func limit(_ given: AppConsent, to day: CalendarDay?, _ action: AuditEntry.Action) throws {
        if let day, day.isOver(at: now) {
            throw OperationError.invalid(field: "last day", reason: "is over already")
        }
        guard try given.consent.put(lastDay: day, in: transaction) else {
            throw OperationError.refused("The consent has been revoked meanwhile.")
        }
        let former = given.consent.lastDay?.text
        try record(
            action, on: given, called: given.app.name, "last day \(former ?? "none") → \(day?.text ?? "none")")
        // When somebody takes this back, the former last day may be over. Then taking it back is refused, so that the
        // consent does not end by it.
        undo(by: LimitConsent(app: AppReference(given.app.id), lastDay: former ?? "none"))
    }
}
