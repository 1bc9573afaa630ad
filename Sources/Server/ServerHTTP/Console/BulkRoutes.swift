import Administration
import ConsolePages
import ServerPages

/// A change that names nothing but its subject, so that a press of a button is enough for it.
protocol SubjectChange: Change {
    /// - Parameter reference: how forms and links name the subject, for example `PE-12`.
    init(of reference: String)
}

/// What a button of a list does with several rows at once.
struct BulkAct {
    /// The value of the button.
    let value: String
    let change: any SubjectChange.Type
    let heading: Sentence
    /// What follows for people, in sentences of the change's own.
    let consequences: @Sendable (Preview) -> [Sentence]
    let button: Sentence
}

/// The routes of a list in which something is done with several rows at once.
protocol BulkRoutes: Sendable {
    associatedtype Query: ListQuery

    /// - Returns: what the form's button does; nil for a button that the list does not have.
    static func bulkAct(_ input: ConsoleInput, at desk: Desk) throws -> BulkAct?

    static func query(_ input: ConsoleInput) throws -> Query

    /// The list.
    /// - Parameter isNothingChosen: whether something was to be done, and no row was ticked.
    static func page(
        _ query: Query, isNothingChosen: Bool, _ visit: ConsoleDoor.Visit
    ) async throws -> any DeskPage

    /// - Returns: the values of the boxes of the rows that the filter lets through, up to the limit.
    static func choices(_ query: Query, limit: Int, _ visit: ConsoleDoor.Visit) async throws -> [String]
}

extension BulkRoutes {
    /// How many rows one press of a button concerns at most, if all of the list are meant.
    private static var wholeListMax: Int { 1_000 }

    /// Does the same with the rows that are ticked in the list, or with all that the filter lets through: first what would
    /// follow, then, with the same button, doing it.
    static func bulkAnswer(_ input: ConsoleInput, _ visit: ConsoleDoor.Visit) async throws -> ConsoleDoor.Answer {
        guard let act = try bulkAct(input, at: visit.desk) else { throw PageError.notFound }
        let isWholeList = try input["scope"] == "all"
        let narrowed = try query(input)
        let chosen = isWholeList ? try await wholeList(narrowed, visit) : input.all("choice")
        guard !chosen.isEmpty else {
            return .refusal(try await page(narrowed, isNothingChosen: true, visit))
        }
        // What the filter lets through since the page was shown was not on it.
        if try input.isConfirmed, try !isWholeList || input["count"] == "\(chosen.count)" {
            return .next(narrowed.path(after: nil), changes: try await visit.performEach(act.change, on: chosen))
        }
        let rows: [(String, String)] =
            isWholeList ? [("scope", "all"), ("count", "\(chosen.count)")] : chosen.map { ("choice", $0) }
        let inputs: [(String, String)] = [("action", act.value)] + narrowed.fields + rows
        let preview = try await visit.preview(act.change, ofEach: chosen)
        return .page(
            ConfirmPage(
                desk: visit.desk, section: Query.section, heading: act.heading,
                parent: ConsoleLink(Query.heading, to: narrowed.path(after: nil)),
                consequences: act.consequences(preview), preview: preview, action: Query.bulkPath, inputs: inputs,
                button: act.button, isFinal: act.change.undo != .possible, hasEffect: !preview.counts.isEmpty))
    }

    private static func wholeList(_ query: Query, _ visit: ConsoleDoor.Visit) async throws -> [String] {
        guard query.isNarrowed else {
            throw OperationError.refused("Nothing narrows the list, and the whole organization is too much at once.")
        }
        var query = query
        query.after = nil
        let found = try await choices(query, limit: wholeListMax + 1, visit)
        guard found.count <= wholeListMax else {
            throw OperationError.refused("These are more than \(wholeListMax). Narrow the list, and do it in parts.")
        }
        return found
    }
}

extension ConsoleDoor.Visit {
    func preview<C: SubjectChange>(_: C.Type, of reference: String) async throws -> Preview {
        try await preview(C(of: reference))
    }

    /// - Returns: the numbers with which the change is undone: none or one.
    func perform<C: SubjectChange>(
        _: C.Type, on reference: String, ifVersion version: String?
    ) async throws -> [Int64] {
        try await perform(C(of: reference), ifVersion: version).changes
    }

    fileprivate func preview<C: SubjectChange>(_: C.Type, ofEach references: [String]) async throws -> Preview {
        try await preview(Bulk(items: references.map(C.init(of:)), mode: .each))
    }

    fileprivate func performEach<C: SubjectChange>(_: C.Type, on references: [String]) async throws -> [Int64] {
        try await performEach(references.map(C.init(of:)))
    }
}
