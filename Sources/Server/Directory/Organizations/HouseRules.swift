import Foundation
import Storage

/// What an organization decides for all its people: session lifetime and idle time in browsers, the language of
/// letters, and where its terms are.
package struct HouseRules: Equatable, Sendable {
    /// Hours after which a browser has to sign in anew; nil for ``BrowserSession/lifetime``.
    package var sessionHours: Int?
    /// Minutes without use after which a browser is signed out; nil for what the server's configuration says. It can be
    /// shorter than that, and never longer.
    package var idleMinutes: Int?
    /// The language of letters and slips for people who have chosen none, a tag such as `ja`; nil for English.
    package var language: String?
    /// Where the terms are that its people agree to: pages of its accounts have a link to it.
    package var termsURL: String?

    package static let sessionHoursRange = 1...Int(BrowserSession.lifetime / 3_600)
    package static let idleMinutesRange = 5...Int(BrowserSession.lifetime / 60)

    package init() {}

    static let columns = "session_hours, idle_minutes, language, terms_url"

    init(_ row: Row) throws {
        sessionHours = try row["session_hours"]
        idleMinutes = try row["idle_minutes"]
        language = try row["language"]
        termsURL = try row["terms_url"]
    }

    /// The same with a checked address.
    /// - Throws: ``DirectoryError/invalidField(field:reason:)``
    package func checked() throws -> HouseRules {
        func check(_ value: Int?, _ range: ClosedRange<Int>, field: String) throws {
            guard let value, !range.contains(value) else { return }
            throw DirectoryError.invalidField(
                field: field, reason: "is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        try check(sessionHours, Self.sessionHoursRange, field: "hours until people sign in anew")
        try check(idleMinutes, Self.idleMinutesRange, field: "minutes without use")
        var rules = self
        rules.termsURL = try FieldRule.pageAddress.checkIfPresent(termsURL, field: "address of the terms")
        return rules
    }
}

extension Organization {
    /// Stores the rules. They are no part of the record that apps read, so that record does not count as changed.
    /// Browsers that are signed in already keep the times that held when they signed in.
    package func put(_ rules: HouseRules, in transaction: WriteTransaction) throws {
        try transaction.execute(
            """
            UPDATE organization SET session_hours = $2, idle_minutes = $3, language = $4, terms_url = $5 WHERE id = $1
            """, [id, rules.sessionHours, rules.idleMinutes, rules.language, rules.termsURL])
    }
}

extension HouseRules {
    /// The rules of a person's organization; for a personal account, rules that decide nothing.
    package static func find(of person: PersonID, in transaction: some Transaction) throws -> HouseRules {
        try transaction.first(
            """
            SELECT \(columns) FROM organization WHERE id = (SELECT organization_id FROM person WHERE id = $1)
            """, [person], HouseRules.init) ?? HouseRules()
    }
}

extension Person {
    /// The language of letters to the person: their own choice, or that of their organization, or English.
    package func letterLanguage(in transaction: some Transaction) throws -> String {
        try language ?? HouseRules.find(of: id, in: transaction).language ?? "en"
    }
}
