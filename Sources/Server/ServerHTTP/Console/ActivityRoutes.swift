import Administration
import ConsolePages
import Directory
import Foundation
import Hummingbird
import NIOCore
import ServerPages

/// `/manager/activity`: the audit trail, who has read whose data, and what can be taken back.
struct ActivityRoutes: Sendable {
    let door: ConsoleDoor

    private static let path = ConsoleSection.activity.path
    private static let shown = 30

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager/activity", use: list)
        router.get("manager/activity/changes", use: changes)
        router.get("manager/activity/export", use: showExport)
        router.post("manager/activity/export/file", use: export)
    }

    @Sendable private func list(_ request: Request, context: AppContext) async throws -> Response {
        let input = ConsoleInput(try request.queryParameters())
        return try await door.open(request, context, in: .activity) { visit in
            let query = ActivityPage.Query(
                person: try input["person"], app: try input["app"], action: try input.value("action"),
                location: try input["at"], outcome: try input.value("outcome"), from: try input.day("from"),
                to: try input.day("to"), before: try input["before"].flatMap { Int($0) })
            let locations = try await visit.locations()
            do {
                let found = try await visit.ask(
                    ListAudit(
                        person: query.person.map(PersonReference.init), app: query.app.map(AppReference.init),
                        action: query.action?.rawValue, at: query.location.map(LocationReference.init),
                        from: query.from?.date, until: query.to?.end, outcome: query.outcome, before: query.before,
                        limit: Self.shown))
                return .page(
                    ActivityPage(desk: visit.desk, query: query, found: found, locations: locations))
            } catch {
                guard let failure = OperationFailure(error),
                    [.notFound, .ambiguous, .invalid, .refused].contains(failure.kind)
                else { throw error }
                return .refusal(
                    ActivityPage(
                        desk: visit.desk, query: query, found: .init(entries: [], names: [:], next: nil),
                        locations: locations, failure: failure))
            }
        }
    }

    @Sendable private func changes(_ request: Request, context: AppContext) async throws -> Response {
        let input = ConsoleInput(try request.queryParameters())
        return try await door.open(request, context, in: .activity) { visit in
            let before = try input["before"].flatMap { Int64($0) }
            let found = try await visit.ask(ListChanges(before: before, limit: Self.shown))
            return .page(ActivityChangesPage(desk: visit.desk, found: found, before: before))
        }
    }

    // MARK: The trail as a file

    @Sendable private func showExport(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .activity) { visit in
            try await visit.administrator.admit(ExportAudit.self)
            return .page(ActivityExportPage(desk: visit.desk))
        }
    }

    @Sendable private func export(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(
            request, context, in: .activity, from: ActivityExportPage.path,
            again: { visit, input, failure in
                ActivityExportPage(
                    desk: visit.desk, from: try input["from"] ?? "", to: try input["to"] ?? "", failure: failure)
            }
        ) { visit, input in
            let (from, until) = (try input.day("from")?.date, try input.day("to")?.end)
            // The first page is read before the answer begins, so that a refusal is still a page.
            let first = try await visit.ask(ExportAudit(from: from, until: until, limit: Self.entriesAtOnce))
            let (administrator, place) = (visit.administrator, visit.place)
            let body = ResponseBody { writer in
                var file = AuditFile(first)
                var part = first
                try await writer.write(ByteBuffer(string: file.header))
                while true {
                    try await writer.write(ByteBuffer(string: try file.lines(of: part)))
                    guard let next = part.next else { break }
                    part = try await administrator.ask(
                        ExportAudit(after: next, through: part.last, limit: Self.entriesAtOnce), in: place)
                }
                try await writer.write(ByteBuffer(string: try file.end()))
                try await writer.finish(nil)
            }
            var response = Response.download([], as: "application/jsonl", named: "trail.jsonl")
            response.headers[.contentLength] = nil
            response.body = body
            return .response(response)
        }
    }

    private static let entriesAtOnce = 1_000
}

/// The lines of an export, as decision 46 has them.
private struct AuditFile {
    let header: String
    private let headerLine: String
    private var entries = 0
    private var anchors: [String] = []

    init(_ first: ExportAudit.Answer) {
        // Text and numbers only.
        headerLine = try! AuditExport.line(
            AuditExport.Header(
                organization: first.organization, name: first.name, first: first.entries.first?.number ?? 1,
                previousHash: first.previousHash))
        header = headerLine + "\n"
    }

    mutating func lines(of part: ExportAudit.Answer) throws -> String {
        let stamped = Dictionary(grouping: part.anchors, by: \.anchors)
        var text = ""
        for entry in part.entries {
            text += try AuditExport.line(entry) + "\n"
            entries += 1
            for anchor in stamped[entry.number] ?? [] {
                let line = try AuditExport.line(anchor)
                anchors.append(line)
                text += line + "\n"
            }
        }
        return text
    }

    func end() throws -> String {
        try AuditExport.line(AuditExport.End(entries: entries, anchors: anchors, header: headerLine)) + "\n"
    }
}

extension ConsoleInput {
    /// A day; nil if none was chosen.
    /// - Throws: ``OperationError/invalid(field:reason:)``
    fileprivate func day(_ name: String) throws -> CalendarDay? {
        try self[name].map { text in
            guard let day = CalendarDay(text) else {
                throw OperationError.invalid(field: name, reason: "is no day, such as 2026-09-01")
            }
            return day
        }
    }
}

extension CalendarDay {
    /// When the day is over, in UTC.
    fileprivate var end: Date { date.addingTimeInterval(86_400) }
}
