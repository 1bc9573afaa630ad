import Administration
import Directory
import RosterFiles
import ServerPages

/// Settings that stand on one page, because one thinks of them together.
package enum SettingsTopic: String, CaseIterable, Sendable {
    case name
    case userNames = "user-names"
    case signIn = "sign-in"
    case language, imports, locations

    package var path: String { "\(ConsoleSection.settings.path)/\(rawValue)" }

    /// The inputs of the form, as `organization.set` calls them.
    package var inputs: [String] {
        switch self {
        case .name: ["name", "colour"]
        case .userNames: ["userNameFormat"]
        case .signIn: ["asksEveryTime", "factorHolders", "factorGraceDays", "sessionHours", "idleMinutes"]
        case .language: ["language", "termsURL"]
        case .imports: ["removedPercent", "changedPercent", "renamedPercent", "replacedMax"]
        case .locations: ["locationDomain", "locationTimeZone"]
        }
    }

    private var key: String { rawValue.sentenceName }
    var heading: Sentence { Sentence("consoleSettings.heading_\(key)") }
    var lead: Sentence { Sentence("consoleSettings.lead_\(key)") }

    static let sentences =
        allCases.flatMap { [$0.heading, $0.lead] + $0.inputs.map(label) }
        + Organization.Colour.allCases.map { Sentence("consoleSettings.colour_\($0.rawValue)") }
        + FactorRule.Holder.allCases.map(word) + [.asTheServer]

    static func label(_ input: String) -> Sentence { Sentence("consoleSettings.\(input)") }

    static func word(_ language: Language) -> Sentence { Sentence("consolePasswords.language_\(language.rawValue)") }

    static func word(_ holder: FactorRule.Holder) -> Sentence { Sentence("consoleSettings.holder_\(holder.rawValue)") }
}

extension OrganizationRecord {
    /// What is decided, for the overview.
    func facts(of topic: SettingsTopic) -> [Fact] {
        func fact(_ input: String, _ value: Cell) -> Fact { Fact(SettingsTopic.label(input), value) }
        func percent(_ value: Int) -> Cell {
            .sentence(Sentence("consoleSettings.percent", ["percent": .count(value)]))
        }
        switch topic {
        case .name:
            return [
                fact("name", .text(name)),
                fact(
                    "colour",
                    .sentence(Sentence("consoleSettings.colour_\(colour?.rawValue ?? "none")"))),
            ]
        case .userNames: return [fact("userNameFormat", .verbatim(userNameFormat))]
        case .signIn:
            let holders: Cell =
                factorHolders.isEmpty
                ? .sentence(Sentence("consoleSettings.nobody")) : .chips(factorHolders.map(SettingsTopic.word))
            return [
                fact(
                    "asksEveryTime",
                    .sentence(Sentence(asksEveryTime ? "consoleSettings.yes" : "consoleSettings.no"))),
                fact("factorHolders", holders),
            ] + (factorHolders.isEmpty ? [] : [fact("factorGraceDays", .count(factorGraceDays))]) + [
                fact("sessionHours", sessionHours.map(Cell.count) ?? .sentence(.asTheServer)),
                fact("idleMinutes", idleMinutes.map(Cell.count) ?? .sentence(.asTheServer)),
            ]
        case .language:
            return [
                fact("language", .sentence(SettingsTopic.word(language.flatMap(Language.init) ?? .english))),
                fact("termsURL", termsURL.map(Cell.verbatim) ?? .sentence(Sentence("consoleSettings.none"))),
            ]
        case .imports:
            return [
                fact("removedPercent", percent(importThresholds.removedPercent)),
                fact("changedPercent", percent(importThresholds.changedPercent)),
                fact("renamedPercent", percent(importThresholds.renamedPercent)),
                fact("replacedMax", .count(importThresholds.replacedMax)),
            ]
        case .locations:
            let none = Cell.sentence(Sentence("consoleSettings.none"))
            return [
                fact("locationDomain", locationDomain.map(Cell.verbatim) ?? none),
                fact("locationTimeZone", locationTimeZone.map(Cell.verbatim) ?? none),
            ]
        }
    }

    /// What the form shows before anything is typed.
    func values(of input: String) -> [String] {
        switch input {
        case "name": [name]
        case "colour": [colour?.rawValue ?? ""]
        case "userNameFormat": [userNameFormat]
        case "asksEveryTime": [asksEveryTime ? "yes" : "no"]
        case "factorHolders": factorHolders.map(\.rawValue)
        case "factorGraceDays": ["\(factorGraceDays)"]
        case "sessionHours": [sessionHours.map(String.init) ?? ""]
        case "idleMinutes": [idleMinutes.map(String.init) ?? ""]
        case "language": [language ?? Language.english.rawValue]
        case "termsURL": [termsURL ?? ""]
        case "removedPercent": ["\(importThresholds.removedPercent)"]
        case "changedPercent": ["\(importThresholds.changedPercent)"]
        case "renamedPercent": ["\(importThresholds.renamedPercent)"]
        case "replacedMax": ["\(importThresholds.replacedMax)"]
        case "locationDomain": [locationDomain ?? ""]
        case "locationTimeZone": [locationTimeZone ?? ""]
        default: []
        }
    }
}

extension Sentence {
    /// Stands in place of a time where the organization has set none, so that the server's counts.
    fileprivate static let asTheServer = Sentence("consoleSettings.asTheServer")
}
