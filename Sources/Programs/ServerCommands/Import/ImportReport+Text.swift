import CommandOutput
import Directory
import Foundation
import RosterFiles

extension ImportReport {
    /// The report for a terminal: defects, changes, and what to do next.
    /// - Parameter again: makes the text of another command for the same files and organization.
    func text(again: (_ arguments: [String]) -> String) -> String {
        (parts + [verdict(again)]).joined(separator: "\n\n")
    }

    /// What was found and planned, without what to do next.
    var parts: [String] {
        var parts = defectLines
        if outcome != .defective { parts.append(table) }
        if let listing { parts += listing.lines }
        if !identities.listed.isEmpty { parts.append(identities.text) }
        return parts
    }

    /// The report of an import that was made earlier, for a terminal.
    /// - Parameter options: those with which another command finds the same data and organization.
    func text(options: [String]) -> String {
        let held = planID ?? "held"
        func command(_ arguments: [String]) -> String {
            (["lanyard", "import"] + arguments + options).map(\.quotedForShell).joined(separator: " ")
        }
        // Its files are kept: nobody has to name them again.
        let text = text { command(($0 == ["--undo"] ? [] : ["--files-of", held]) + $0) }
        guard outcome == .held else { return text }
        return """
            \(text)

            If it is not, give it up:

              \(command(["--discard", held]))
            """
    }

    /// First the errors, each with a line of its own. Then the warnings, with one line for each kind, because a file
    /// may cause one in every row.
    private var defectLines: [String] {
        var parts: [String] = []
        let errors = defects.filter { $0.severity == .error }
        if !errors.isEmpty {
            parts.append(errors.map { "error: \($0)" }.joined(separator: "\n"))
            if errorCount > errors.count { parts.append("… and \(errorCount - errors.count) more of the same kinds.") }
        }
        if !warnings.isEmpty {
            parts.append(
                warnings.map {
                    "warning: \($0.example)\($0.count > 1 ? " (\($0.count) such; this is the first.)" : "")"
                }
                .joined(separator: "\n"))
        }
        return parts
    }

    private static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    private var table: String {
        Table.text(
            ["TYPE", "IN FILE", "ADDED", "CHANGED", "GONE", "BACK", "UNCHANGED"],
            shownTypes.map { type in
                let count = counts[type]
                func told(_ number: Int, _ what: String) -> String { number == 0 ? "0" : "\(number) \(what)" }
                return [
                    type.rawValue, "\(count.inFile)", "\(count.added)", "\(count.changed)",
                    told(count.deactivated, type.wordForGone), told(count.reactivated, type.wordForBack),
                    "\(count.unchanged)",
                ]
            })
    }

    /// All, but for staff alone, as a business has it.
    private var shownTypes: [RecordType] {
        let others = RecordType.allCases.filter { $0 != .staff }
        return others.allSatisfy { counts[$0] == RecordCounts() } && counts.staff != RecordCounts()
            ? [.staff] : RecordType.allCases
    }

    private func verdict(_ again: (_ arguments: [String]) -> String) -> String {
        switch outcome {
        case .defective:
            "Nothing was changed: the files have \(Self.counted(errorCount, "error")) and \(Self.counted(warningCount, "warning")). Mend them and import again."
        case .planned where held.isEmpty: "Nothing was changed, as you asked. This is plan \(planID ?? "")."
        case .planned: "Nothing was changed, as you asked. To be applied, \(approval(again))"
        case .held: "Nothing was changed: \(approval(again))"
        case .applied: "Applied as import \(importID ?? 0). To take it back:\n\n  \(again(["--undo"]))"
        case .nothingToDo: "Nothing to do: the organization is as the files say."
        }
    }

    private func approval(_ again: (_ arguments: [String]) -> String) -> String {
        let isAboutIdentities = held.contains { $0.rule.concernsIdentities }
        let isAboutNames = held.contains { [.replaced, .renamed].contains($0.rule) }
        let approvals =
            (held.contains { !$0.rule.concernsIdentities } ? ["--approve", planID ?? ""] : [])
            + (isAboutIdentities ? ["--approve-identities", planID ?? ""] : [])
        let alternative = """


            Each person id stands for one person for ever. If one of them has been given to somebody else, say so for \
            each, and the new person gets an account of their own:

              \(again(["--new-person", identities.listed.first?.personID ?? "ID"]))
            """
        return """
            this plan needs your approval.

            \(held.map { "  \($0)" }.joined(separator: "\n"))

            \(isAboutNames ? "If those listed above are the same people under other names" : "If that is what you want"):

              \(again(approvals))\(isAboutNames ? alternative : "")
            """
    }
}

extension RecordType {
    /// What happens to records that the files do not name any more.
    fileprivate var wordForGone: String {
        switch self {
        case .students, .staff: "deactivated"
        case .locations, .courses, .classes: "archived"
        // Those of a class that is archived stay with it, and nobody sees them either.
        case .memberships: "ended"
        }
    }

    /// What happens to those that the files name again.
    fileprivate var wordForBack: String {
        switch self {
        case .students, .staff: "reactivated"
        case .locations, .courses, .classes, .memberships: "restored"
        }
    }
}

extension IdentityChanges {
    /// The maximum number of lines of a list. The JSON output has all.
    private static let shownMax = 50

    fileprivate var text: String {
        let shown = listed.prefix(Self.shownMax)
        let table = Table.text(
            ["WHERE", "PERSON ID", "ACCOUNT OF", "NAME IN FILE", "ALSO DIFFERENT", "THE SAME"],
            shown.map {
                [
                    "\($0.file):\($0.line)", $0.personID, $0.formerName,
                    $0.isAnothersName ? "\($0.name) (so far another account's)" : $0.name,
                    $0.differing.joined(separator: ", "), $0.agreeing.joined(separator: ", "),
                ]
            })
        let more = anotherPerson + renamed - shown.count
        return "These person ids may belong to other people now:\n\n\(table)"
            + (more > 0 ? "\n… and \(more) more." : "")
    }
}

extension PlanListing {
    fileprivate var lines: [String] {
        guard !schools.isEmpty || !people.isEmpty else { return ["The plan concerns nobody."] }
        let effects = PlannedPerson.Effect.allCases
        let counts = Table.text(
            ["SCHOOL", "LOCATION ID"] + effects.map { $0.words.uppercased() },
            schools.map { school in [school.name, school.locationID] + effects.map { "\(school.count($0))" } })
        guard !people.isEmpty else { return [counts, "Nobody of the kind that you asked for."] }
        let table = Table.text(
            ["", "PERSON ID", "NAME", "SCHOOLS", "WHAT CHANGES"],
            people.map {
                [
                    $0.effect.words, $0.personID ?? "–", $0.name, $0.schools.joined(separator: "; "),
                    $0.changes.map(\.text).joined(separator: "; "),
                ]
            })
        return [counts, table + PageOptions.hint(next)]
    }
}

extension PlannedPerson.Effect {
    fileprivate var words: String {
        switch self {
        case .comes: "comes"
        case .comesInstead: "comes instead"
        case .returns: "returns"
        case .changes: "changes"
        case .leaves: "leaves"
        }
    }
}

extension PlannedPerson.Change {
    fileprivate var text: String { "\(field): \(before ?? "–") → \(after ?? "–")" }
}
