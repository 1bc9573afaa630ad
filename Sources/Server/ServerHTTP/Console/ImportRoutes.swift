import Administration
import Authorization
import ConsolePages
import Directory
import Foundation
import Hummingbird
import NIOCore
import RosterFiles

/// `/manager/imports`: files come in, their plan is looked at, and what they have changed can be taken back.
struct ImportRoutes: Sendable {
    let door: ConsoleDoor

    private static let path = ConsoleSection.imports.path

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager/imports", use: list)
        router.get("manager/imports/upload", use: showUpload)
        router.post("manager/imports/upload", use: upload)
        router.get("manager/imports/jobs/{job}", use: showJob)
        router.get("manager/imports/jobs/{job}/defects.csv", use: downloadDefects)
        router.get("manager/imports/{import}", use: show)
        router.get("manager/imports/{import}/defects.csv", use: downloadWarnings)
        router.post("manager/imports/{import}/approve", use: approve)
        router.post("manager/imports/{import}/discard", use: discard)
        router.get("manager/imports/{import}/undo", use: askUndo)
        router.post("manager/imports/{import}/undo", use: undo)
        router.get("manager/imports/{import}/compare", use: compare)
    }

    // MARK: The list

    @Sendable private func list(_ request: Request, context: AppContext) async throws -> Response {
        let input = ConsoleInput(try request.queryParameters())
        return try await door.open(request, context, in: .imports) { visit in
            let before = try input["before"].flatMap { Int64($0) }
            return .page(
                ImportsPage(
                    desk: visit.desk, found: try await visit.ask(ListImports(before: before, limit: 50)),
                    before: before, isSchool: visit.organization.kind == .school))
        }
    }

    // MARK: Files come in

    private static func bytesMax(_ visit: ConsoleDoor.Visit) -> Int {
        visit.organization.isSandbox ? Sandbox.importBytesMax : Upload.rosterBytesMax
    }

    private static func uploadPage(
        _ visit: ConsoleDoor.Visit, failure: OperationFailure? = nil
    ) async throws -> UploadPage {
        let kind = visit.organization.kind
        let isSchool = kind == .school
        let terms =
            isSchool && visit.desk.may(ListTerms.privilege)
            ? try await visit.ask(ListTerms()).terms.filter { $0.closedAt == nil }.map(\.name) : []
        let locations = isSchool ? try await visit.locations() : .none
        return UploadPage(
            desk: visit.desk, kind: kind, terms: terms, locations: locations, bytesMax: bytesMax(visit),
            failure: failure)
    }

    @Sendable private func showUpload(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .imports) { visit in
            try await visit.administrator.admit(ImportRoster.self)
            return .page(try await Self.uploadPage(visit))
        }
    }

    @Sendable private func upload(_ request: Request, context: AppContext) async throws -> Response {
        try await door.receive(
            request, context, in: .imports, from: "\(Self.path)/upload", bytesMax: Upload.rosterBytesMax,
            again: { try await Self.uploadPage($0, failure: $1) }
        ) { visit, upload in
            // Before anything of the files is read.
            try await visit.administrator.admit(ImportRoster.self)
            let (fields, files) = try await upload.begin(atMost: Self.bytesMax(visit))
            let input = ConsoleInput(fields)
            let (term, school) = (try input["term"], try input["school"])
            let archive = try await files.roster(of: visit.organization.kind)
            let job = try await visit.begin(
                ImportRoster(
                    .archive(archive), term: term, schools: school.map { [LocationReference($0)] }, hold: true))
            return .next("\(Self.path)/jobs/\(job)", changes: [])
        }
    }

    // MARK: What is done in the background

    @Sendable private func showJob(_ request: Request, context: AppContext) async throws -> Response {
        let id = try context.pathInput("job")
        return try await door.open(request, context, in: .imports) { visit in
            let job = try await visit.job(id)
            guard job.state == .done else { return .page(ImportJobPage(desk: visit.desk, job: job)) }
            switch job.operation {
            case ImportRoster.name:
                guard let done = try job.done(ImportRoster.self) else { break }
                if let number = done.answer.importID { return .next("\(Self.path)/\(number)", changes: done.changes) }
                if done.answer.outcome == .held, let plan = done.answer.planID {
                    return .next("\(Self.path)/\(plan)", changes: [])
                }
                return .page(ImportJobPage(desk: visit.desk, job: job, report: done.answer))
            case GuessIDMap.name:
                guard let done = try job.done(GuessIDMap.self) else { break }
                return done.answer.defects.isEmpty
                    ? .next("\(IDMapPage.path)/\(id)", changes: [])
                    : .page(ImportJobPage(desk: visit.desk, job: job, defects: done.answer.defects))
            case ApplyIDMap.name:
                return .next(Self.path, changes: try job.done(ApplyIDMap.self)?.changes ?? [])
            default: return .next(Self.path, changes: [])
            }
            return .page(ImportJobPage(desk: visit.desk, job: job))
        }
    }

    @Sendable private func downloadDefects(_ request: Request, context: AppContext) async throws -> Response {
        let id = try context.pathInput("job")
        return try await door.open(request, context, in: .imports) { visit in
            let job = try await visit.job(id)
            if let report = try job.done(ImportRoster.self)?.answer {
                return .response(.defects(try DefectFile.bytes(report)))
            }
            guard let defects = try job.done(GuessIDMap.self)?.answer.defects else { throw PageError.notFound }
            return .response(.defects(try DefectFile.bytes(defects)))
        }
    }

    // MARK: One import

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let reference = ImportReference(try context.pathInput("import"))
        let input = ConsoleInput(try request.queryParameters())
        return try await door.open(request, context, in: .imports) { visit in
            let effect = try input.value("effect", as: PlannedPerson.Effect.self)
            let after = try input["after"].flatMap { Int($0) }
            let shown = try await visit.ask(ShowImport(import: reference, effect: effect, after: after, limit: 50))
            guard let applied = shown.applied else {
                return .page(ImportPlanPage(desk: visit.desk, plan: shown, effect: effect, after: after))
            }
            let imports = try await visit.ask(ListImports(limit: 50)).imports
            return .page(
                ImportPage(
                    desk: visit.desk, shown: shown, applied: applied,
                    others: imports.filter { $0.number < applied.number && $0.filesAreKept }))
        }
    }

    @Sendable private func downloadWarnings(_ request: Request, context: AppContext) async throws -> Response {
        let reference = ImportReference(try context.pathInput("import"))
        return try await door.open(request, context, in: .imports) { visit in
            guard let report = try await visit.ask(ShowImport(import: reference)).report else {
                throw PageError.notFound
            }
            return .response(.defects(try DefectFile.bytes(report)))
        }
    }

    @Sendable private func approve(_ request: Request, context: AppContext) async throws -> Response {
        let text = try context.pathInput("import")
        let reference = ImportReference(text)
        return try await door.submit(
            request, context, in: .imports, from: "\(Self.path)/\(text)",
            again: { visit, input, failure in
                ImportPlanPage(
                    desk: visit.desk, plan: try await visit.ask(ShowImport(import: reference, limit: 50)),
                    typed: try input.typed(ImportPlanPage.names), failure: failure)
            }
        ) { visit, input in
            let plan = try await visit.ask(ShowImport(import: reference, limit: 50))
            guard let id = plan.planID else { throw OperationError.refused("This import was applied already.") }
            let page = ImportPlanPage(desk: visit.desk, plan: plan)
            if page.needsName {
                guard try input.repeats(visit.organization.name) else {
                    throw OperationError.invalid(field: "name", reason: "is not “\(visit.organization.name)”")
                }
            }
            if page.concernsIdentities {
                guard try input["identities"] == "yes" else {
                    throw OperationError.refused(
                        "Say first that the accounts pass to the people whom the files name, or correct the files.")
                }
            }
            let job = try await visit.begin(
                ImportRoster(
                    .kept(ImportReference(id)), approve: id, approveIdentities: page.concernsIdentities ? id : nil))
            return .next("\(Self.path)/jobs/\(job)", changes: [])
        }
    }

    /// No page asks first: the form stands below all that would be given up, and the same files can be uploaded again.
    @Sendable private func discard(_ request: Request, context: AppContext) async throws -> Response {
        let text = try context.pathInput("import")
        return try await door.submit(request, context, in: .imports, from: "\(Self.path)/\(text)") { visit, _ in
            let done = try await visit.perform(DiscardImport(import: ImportReference(text)))
            return .next(Self.path, changes: done.changes)
        }
    }

    @Sendable private func askUndo(_ request: Request, context: AppContext) async throws -> Response {
        let reference = ImportReference(try context.pathInput("import"))
        return try await door.open(request, context, in: .imports, confirmsIdentity: true) { visit in
            guard let applied = try await visit.ask(ShowImport(import: reference)).applied else {
                throw PageError.notFound
            }
            return .page(UndoImportPage(desk: visit.desk, applied: applied))
        }
    }

    @Sendable private func undo(_ request: Request, context: AppContext) async throws -> Response {
        let text = try context.pathInput("import")
        return try await door.submit(
            request, context, in: .imports, from: "\(Self.path)/\(text)/undo", confirmsIdentity: true
        ) { visit, _ in
            let job = try await visit.begin(UndoImport(import: ImportReference(text)))
            return .next("\(Self.path)/jobs/\(job)", changes: [])
        }
    }

    @Sendable private func compare(_ request: Request, context: AppContext) async throws -> Response {
        let later = try context.pathNumber("import")
        let input = ConsoleInput(try request.queryParameters())
        return try await door.open(request, context, in: .imports) { visit in
            guard let earlier = try input["from"].flatMap({ Int64($0) }) else { throw PageError.notFound }
            let difference = try await visit.ask(
                CompareImports(import: ImportReference(later), from: ImportReference(earlier), limit: 100))
            return .page(
                ComparisonPage(desk: visit.desk, later: later, earlier: earlier, difference: difference))
        }
    }
}

extension ConsoleDoor.Visit {
    /// A job that this person began.
    func job(_ id: String) async throws -> JobRecord { try await administrator.job(id, in: place) }
}

extension Response {
    /// A file that the browser saves.
    static func download(_ bytes: [UInt8], as type: String, named name: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: type.hasPrefix("text/") ? "\(type); charset=utf-8" : type, .cacheControl: "no-store",
                .contentDisposition: "attachment; filename=\"\(name)\"",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// What is wrong with files.
    static func defects(_ bytes: [UInt8]) -> Response { download(bytes, as: "text/csv", named: "defects.csv") }
}

/// What is wrong with files, as a file for a spreadsheet.
enum DefectFile {
    static func bytes(_ report: ImportReport) throws -> [UInt8] {
        try bytes(report.defects, omitting: report.omittedCount)
    }

    /// - Parameter omitted: how many defects are missing, because only the first of each kind are kept. The last row says it.
    static func bytes(_ defects: [Defect], omitting omitted: Int = 0) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var writer = CSVWriter(isForSpreadsheet: true) { bytes += $0 }
        for column in ["severity", "file", "line", "column", "value", "message", "remedy"] { writer.append(column) }
        try writer.endRow()
        for defect in defects {
            let cells = [
                defect.severity.rawValue, defect.file, defect.line.map(String.init) ?? "", defect.column ?? "",
                defect.value ?? "", defect.message, defect.remedy,
            ]
            for cell in cells { writer.append(cell) }
            try writer.endRow()
        }
        if omitted > 0 {
            let message = "\(omitted) more were found. Only the first of each kind are listed."
            for cell in ["", "", "", "", "", message, "Correct what is listed, and import the files again."] {
                writer.append(cell)
            }
            try writer.endRow()
        }
        try writer.finish()
        return bytes
    }
}
