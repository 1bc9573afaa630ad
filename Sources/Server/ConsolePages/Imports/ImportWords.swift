import Administration
import Directory
import Foundation
import RosterFiles
import ServerPages

/// How the console speaks of imports.
enum ImportWords {
    static let path = ConsoleSection.imports.path

    static func path(of number: Int64) -> String { "\(path)/\(number)" }

    static func name(of number: Int64) -> Sentence { Sentence("consoleImports.number", ["number": .text("\(number)")]) }

    static func type(_ type: RecordType) -> Sentence { Sentence("consoleImports.type_\(type.rawValue)") }

    static func effect(_ effect: PlannedPerson.Effect) -> Sentence {
        Sentence("consoleImports.effect_\(effect.rawValue)")
    }

    static func mark(_ effect: PlannedPerson.Effect) -> Cell {
        let tone: Part.MessageTone =
            switch effect {
            case .comes, .returns: .success
            case .changes: .notice
            case .comesInstead: .warning
            case .leaves: .danger
            }
        return .mark(tone, Self.effect(effect))
    }

    static func reason(_ reason: HeldReason) -> Sentence {
        Sentence(
            "consoleImports.held_\(reason.rule.rawValue)",
            [
                "count": .count(reason.count), "existing": .count(reason.existing),
                "percent": .count(reason.percentMax ?? 0), "most": .count(reason.countMax ?? 0),
                "type": .sentence(Self.type(reason.type ?? .memberships)), "term": .text(reason.term ?? ""),
                "classes": .text(reason.classList),
            ])
    }

    /// The names of the schools whose files they are, or a word for all of them.
    static func schools(_ names: [String]?) -> Cell {
        names.map { .text($0.joined(separator: ", ")) } ?? .sentence(Sentence("consoleImports.everybody"))
    }

    /// What an import does at a step.
    static func phase(_ step: Int) -> Sentence {
        Sentence("consoleImports.phase_\(ImportProgress(step: step).phase.rawValue)")
    }

    static let sentences =
        RecordType.allCases.map(type) + PlannedPerson.Effect.allCases.map(effect)
        + HeldReason.Rule.allCases.map { Sentence("consoleImports.held_\($0.rawValue)") }
        + ImportProgress.Phase.allCases.map { Sentence("consoleImports.phase_\($0.rawValue)") }
}

/// What is wrong with files, in a table.
enum DefectTable {
    /// How many defects stand on the page; the file to download has all that are kept.
    static let shown = 100

    /// How many errors the files have, and the first of them in a table.
    /// - Parameter report: what the import has found; nil if the files came otherwise.
    static func parts(_ errors: [Defect], of report: ImportReport?) -> [Part] {
        let number = Sentence(
            "consoleImports.defectCount",
            ["count": .count(report?.errorCount ?? errors.count), "shown": .count(min(errors.count, shown))])
        return [.text(number), .table(table(errors))] + omission(of: report)
    }

    /// Says how many defects the file to download lacks; nothing if it has all of them.
    static func omission(of report: ImportReport?) -> [Part] {
        guard let report, report.omittedCount > 0 else { return [] }
        return [.text(Sentence("consoleImports.omitted", ["count": .count(report.omittedCount)]))]
    }

    static func table(_ defects: [Defect]) -> Table {
        Table(
            Sentence("consoleImports.defects"),
            [
                .init(Sentence("consoleImports.place")), .init(Sentence("consoleImports.value")),
                .init(Sentence("consoleImports.wrong")), .init(Sentence("consoleImports.remedy")),
            ],
            defects.prefix(shown).map { defect in
                Table.Row([
                    .text([defect.file, defect.line.map(String.init)].compactMap(\.self).joined(separator: ":")),
                    .verbatim(
                        [defect.column, defect.value.map { "“\($0)”" }].compactMap(\.self).joined(separator: " ")),
                    .english(defect.message), .english(defect.remedy),
                ])
            }, empty: Sentence("consoleImports.noDefects"))
    }
}

extension [Defect] {
    /// What keeps files from being imported. Pages show it alone; the file to download has the warnings too.
    var errors: [Defect] { filter { $0.severity == .error } }
}

extension ImportReport {
    /// The number of defects that were counted and not kept.
    package var omittedCount: Int { errorCount + warningCount - defects.count }
}
