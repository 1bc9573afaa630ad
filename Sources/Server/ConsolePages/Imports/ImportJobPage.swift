import Administration
import RosterFiles
import ServerPages

/// How far an import has come, or why it has come to nothing.
package struct ImportJobPage: ConsolePage {
    package let desk: Desk
    package let job: JobRecord
    /// What the import has found; nil until then, and when it is not kept any more.
    package let report: ImportReport?
    /// What is wrong with the files, if the job is no import: when ids are compared for an id map.
    package let defects: [Defect]

    package init(desk: Desk, job: JobRecord, report: ImportReport? = nil, defects: [Defect] = []) {
        self.desk = desk
        self.job = job
        self.report = report
        self.defects = (report?.defects ?? defects).errors
    }

    package var section: ConsoleSection { .imports }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }
    package var refreshSeconds: Int? { job.endedAt == nil ? 3 : nil }

    package var heading: Sentence {
        switch job.state {
        case .waiting, .running: Sentence("consoleImports.working")
        case .failed: Sentence("consoleImports.failed")
        case .done where !defects.isEmpty && report?.outcome != .nothingToDo: Sentence("consoleImports.defective")
        case .done: Sentence(report == nil ? "consoleImports.ended" : "consoleImports.nothingToDo")
        }
    }

    package var lead: Sentence? {
        switch job.state {
        case .waiting, .running: Sentence("consoleImports.workingLead")
        case .failed: nil
        case .done where !defects.isEmpty && report?.outcome != .nothingToDo: Sentence("consoleImports.defectiveLead")
        case .done: Sentence(report == nil ? "consoleImports.endedLead" : "consoleImports.nothingToDoLead")
        }
    }

    package var actions: [ConsoleLink] {
        switch job.state {
        case .waiting, .running: []
        case .failed, .done:
            (defects.isEmpty
                ? []
                : [
                    ConsoleLink(
                        Sentence("consoleImports.download"), to: "\(section.path)/jobs/\(job.job)/defects.csv")
                ]) + [ConsoleLink(Sentence("consoleImports.again"), to: "\(section.path)/upload")]
        }
    }

    package var parts: [Part] {
        switch job.state {
        case .waiting:
            [.progress(Progress(Sentence("consoleImports.waiting"), done: 0, of: 0)), .links([refresh])]
        case .running:
            [
                .progress(Progress(ImportWords.phase(job.done), done: job.done, of: job.total)), .links([refresh]),
            ]
        case .failed:
            Part.refusals(job.failure) + (job.failure?.items.map { [.table(Self.table($0))] } ?? [])
        case .done:
            defects.isEmpty ? [] : DefectTable.parts(defects, of: report)
        }
    }

    /// The items that cannot be done.
    private static func table(_ items: [OperationFailure.Item]) -> Table {
        Table(
            Sentence("consoleImports.wrong"),
            [.init(Sentence("consoleImports.row")), .init(Sentence("consoleImports.wrong"))],
            items.prefix(DefectTable.shown).map { Table.Row([.text("\($0.index + 1)"), .english($0.detail)]) },
            empty: Sentence("consoleImports.noDefects"))
    }

    private var refresh: ConsoleLink {
        ConsoleLink(Sentence("consoleImports.refresh"), to: "\(section.path)/jobs/\(job.job)")
    }
}
