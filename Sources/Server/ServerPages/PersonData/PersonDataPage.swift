import Foundation

/// All that a server holds about one person, as a document to read, to print and to hand over: one file without a
/// script, and without anything that is loaded from elsewhere.
package struct PersonDataPage: Page {
    /// One table, of texts by the names of the columns.
    package struct Section: Sendable {
        package let name: String
        package let columns: [String]
        package let rows: [[String: String]]

        package init(name: String, columns: [String], rows: [[String: String]]) {
            self.name = name
            self.columns = columns
            self.rows = rows
        }
    }

    package let fullName: String
    package let organization: String
    package let number: Int64
    package let at: Date
    package let sections: [Section]

    package init(fullName: String, organization: String, number: Int64, at: Date, sections: [Section]) {
        self.fullName = fullName
        self.organization = organization
        self.number = number
        self.at = at
        self.sections = sections
    }

    package var view: View { view(in: .english) { _ in true } }

    /// - Parameter isKnown: whether the catalogues have a sentence with that key. A word that they do not have is shown
    ///   as the server has it.
    func view(in language: Language, isKnown: (String) -> Bool) -> View {
        View(
            "person-data", heading: Sentence("data.heading"),
            content: [
                "name": .text(fullName.shown),
                "organization": .text(organization.shown),
                "number": .text("PE-\(number)"),
                "madeOn": .day(at),
                "sections": .list(
                    sections.map { section in
                        let word = { (column: String, value: String) in
                            Self.word(value, of: column, in: language, isKnown: isKnown)
                        }
                        return [
                            "title": .sentence(Sentence("dataTitle.\(section.name)")),
                            "about": .sentence(Sentence("dataAbout.\(section.name)")),
                            "single": .group(ifAny: section.rows.count == 1 ? Self.fields(of: section, word) : nil),
                            "table": .group(ifAny: section.rows.count == 1 ? nil : Self.table(of: section, word)),
                        ]
                    }),
            ], isWide: true)
    }

    private static func label(_ column: String) -> Value { .sentence(Sentence("dataColumn.\(column)")) }

    private static func fields(of section: Section, _ word: (_ column: String, _ value: String) -> Value) -> Content {
        let row = section.rows[0]
        return [
            "fields": .list(
                section.columns.compactMap { column in
                    row[column].map { ["label": label(column), "value": word(column, $0)] }
                })
        ]
    }

    /// Columns in which nothing stands are left out.
    private static func table(of section: Section, _ word: (_ column: String, _ value: String) -> Value) -> Content {
        let columns = section.columns.filter { column in section.rows.contains { $0[column] != nil } }
        return [
            "columns": .list(columns.map { ["label": label($0)] }),
            "rows": .list(
                section.rows.map { row in
                    [
                        "cells": .list(
                            columns.map { column in ["value": row[column].map { word(column, $0) } ?? .text("–")] })
                    ]
                }),
        ]
    }

    /// Columns whose values are words of the server's own, for which the catalogues have plain ones.
    private static let wordColumns: Set = [
        "role", "state", "source", "way", "certain", "forwards", "outcome", "action", "who", "reader", "operation",
    ]

    private static func word(
        _ value: String, of column: String, in language: Language, isKnown: (String) -> Bool
    ) -> Value {
        let key = "dataWord.\(value)"
        if wordColumns.contains(column), isKnown(key) { return .sentence(Sentence(key)) }
        if let time = try? Date(value, strategy: .iso8601) {
            return .text("\(language.day(time)) \(value.dropFirst(11).prefix(5)) UTC")
        }
        return .text(value.shown)
    }

    static let sectionNames = [
        "account", "formerNames", "mergedRecords", "roles", "classes", "taughtClasses", "appSignIns", "readers",
        "notShared", "hiddenAddresses", "consents", "teams", "password", "sessions", "browsers", "devices",
        "passkeys", "oneTimeCodes",
        "appSessions", "tokens", "terminals", "mails", "notices", "formerIDs", "formerValues", "beforeImport",
        "rolesBeforeImport", "classesBeforeImport", "taughtBeforeImport", "holds", "jobs", "history",
    ]

    package static let columnNames = [
        "firstName", "middleName", "lastName", "userName", "email", "grade", "personID", "personNumber",
        "sisUserName", "passwordPolicy", "language", "state", "source", "createdAt", "modifiedAt",
        "deactivatedAt", "missingSince", "keptUntil", "record", "mergedInto", "mergedAt", "role", "place",
        "name", "number", "course", "term", "room", "archivedAt", "rosterID", "app", "scopes", "allowedAt",
        "endedAt", "reader", "way", "list", "fields", "times", "first", "last", "certain", "address", "team",
        "forwards", "changedAt", "temporaryUntil", "wrongPasswords", "lastWrongAt", "pausedUntil", "browser",
        "signedInAt", "endsAt", "usedAt", "facts", "registeredAt", "addedAt", "privileges", "subject", "attempts",
        "formerID", "newID", "operation", "at", "before", "reason", "begunAt", "lastDay", "action", "who",
        "outcome", "detail", "from",
    ]

    package static let words = [
        "student", "instructor", "staff", "manager", "people_manager", "site_manager", "administrator",
        "device_enrollment_manager", "content_manager", "new", "active", "locked", "deactivated", "csv",
        "manual", "roster", "sign-in", "administration", "export", "yes", "no", "possibly", "done", "refused",
        "self", "operator", "system", "sign-out", "password.changed", "password.issued", "password.mailed",
        "person.created", "person.changed", "person.exported", "app.sign-in", "app.sign-in-ended",
        "administration.read", "token.issued", "device.registered", "device.removed", "account.paused",
    ]

    static var sentences: [Sentence] {
        [Sentence("data.heading")]
            + sectionNames.flatMap { [Sentence("dataTitle.\($0)"), Sentence("dataAbout.\($0)")] }
            + columnNames.map { Sentence("dataColumn.\($0)") } + words.map { Sentence("dataWord.\($0)") }
    }
}

extension Pages {
    /// Renders a document that needs nothing but itself.
    package func document(_ page: PersonDataPage, in language: Language) -> String {
        let catalogue = catalogues[language]
        return render(
            page.view(in: language) { catalogue.keys.contains($0) }, style: Resources.reportStyle, in: language)
    }
}
