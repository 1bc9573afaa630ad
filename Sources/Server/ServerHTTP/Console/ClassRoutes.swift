import Administration
import ConsolePages
import Directory
import Hummingbird

/// `/manager/classes`. A business has none.
struct ClassRoutes: Sendable {
    let door: ConsoleDoor

    private static let path = ConsoleSection.classes.path
    private static let shown = 50

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager/classes", use: list)
        router.get("manager/classes/add", use: showAdd)
        router.post("manager/classes/add", use: add)
        router.post("manager/classes/bulk", use: actOnSeveral)
        router.get("manager/classes/{class}", use: show)
        router.get("manager/classes/{class}/edit", use: showEdit)
        router.post("manager/classes/{class}/edit", use: edit)
        router.post("manager/classes/{class}/students", use: changeStudents)
        for action in ClassAction.allCases {
            router.get("manager/classes/{class}/\(action.rawValue)") { request, context in
                try await ask(action, request, context)
            }
            router.post("manager/classes/{class}/\(action.rawValue)") { request, context in
                try await act(action, request, context)
            }
        }
    }

    @Sendable private func list(_ request: Request, context: AppContext) async throws -> Response {
        let input = ConsoleInput(try request.queryParameters())
        return try await door.open(request, context, in: .classes) { visit in
            try visit.requireSchool()
            return .page(try await Self.page(try Self.query(input), isNothingChosen: false, visit))
        }
    }

    private static func page(
        of reference: ClassReference, _ visit: ConsoleDoor.Visit, typed: String = "", failure: OperationFailure? = nil,
        isNobodyChosen: Bool = false
    ) async throws -> ClassPage {
        let record = try await visit.ask(ShowClass(class: reference))
        // Teachers read people too, but their own pupils alone, wherever they teach.
        let open: Set<Int64>? =
            visit.desk.mayEverywhere(.managePeople)
            ? nil
            : Set(try await visit.ask(ListPeople(class: reference, limit: ListPeople.limitMax)).people.map(\.number))
        return ClassPage(
            desk: visit.desk, record: record, open: open, typed: typed, failure: failure,
            isNobodyChosen: isNobodyChosen)
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        let reference = try context.rosterClass
        return try await door.open(request, context, in: .classes) { visit in
            try visit.requireSchool()
            return .page(try await Self.page(of: reference, visit))
        }
    }

    // MARK: Making and editing

    @Sendable private func showAdd(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .classes) { visit in
            try visit.requireSchool()
            try visit.require(AddClass.self)
            return .page(
                EditClassPage(
                    desk: visit.desk, record: nil, locations: try await visit.locations(), terms: []))
        }
    }

    @Sendable private func add(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(
            request, context, in: .classes, from: "\(Self.path)/add",
            again: { visit, input, failure in
                EditClassPage(
                    desk: visit.desk, record: nil, locations: try await visit.locations(), terms: [],
                    typed: try input.typed(EditClassPage.names), failure: failure)
            }
        ) { visit, input in
            try visit.requireSchool()
            let done = try await visit.perform(
                AddClass(
                    name: try input["name"] ?? "", displayName: try input["displayName"],
                    classNumber: try input["classNumber"], room: try input["room"], classID: try input["classID"],
                    at: try input["at"].map(LocationReference.init),
                    instructors: try input.lines("instructors")?.map(PersonReference.init),
                    students: try input.lines("students")?.map(PersonReference.init)))
            return .next(ClassWords.path(of: done.answer.number), changes: done.changes)
        }
    }

    @Sendable private func showEdit(_ request: Request, context: AppContext) async throws -> Response {
        let reference = try context.rosterClass
        return try await door.open(request, context, in: .classes) { visit in
            try visit.requireSchool()
            try visit.require(EditClass.self)
            return .page(
                EditClassPage(
                    desk: visit.desk, record: try await visit.ask(ShowClass(class: reference)),
                    locations: try await visit.locations(), terms: try await visit.terms()))
        }
    }

    @Sendable private func edit(_ request: Request, context: AppContext) async throws -> Response {
        let reference = try context.rosterClass
        return try await door.submit(
            request, context, in: .classes, from: request.routedPath,
            again: { visit, input, failure in
                EditClassPage(
                    desk: visit.desk, record: try await visit.ask(ShowClass(class: reference)),
                    locations: try await visit.locations(), terms: try await visit.terms(),
                    typed: try input.typed(EditClassPage.names), failure: failure)
            }
        ) { visit, input in
            try visit.requireSchool()
            try visit.require(EditClass.self)
            let record = try await visit.ask(ShowClass(class: reference))
            var change = EditClass(class: reference)
            change.room = try input["room"] ?? ""
            // What is so already is left out: of a class that an import keeps, nothing else may be named.
            let term = try input["term"]
            if term != record.term { change.term = TermReference(term ?? "") }
            if !record.isDelivered {
                change.name = try input["name"] ?? ""
                change.displayName = try input["displayName"] ?? ""
                change.classNumber = try input["classNumber"] ?? ""
                let place = try input["at"]
                if place != record.locationID { change.at = LocationReference(place ?? "") }
                let instructors = try input.lines("instructors") ?? []
                if instructors != record.instructors.compactMap(\.userName) {
                    change.instructors = instructors.map(PersonReference.init)
                }
            }
            let done = try await visit.perform(change, ifVersion: try input.version)
            return .next(ClassWords.path(of: done.answer.number), changes: done.changes)
        }
    }

    /// Who is ticked leaves the class; who is named comes into it.
    @Sendable private func changeStudents(_ request: Request, context: AppContext) async throws -> Response {
        let reference = try context.rosterClass
        let path = "\(Self.path)/\(try context.pathInput("class"))"
        return try await door.submit(
            request, context, in: .classes, from: path,
            again: { visit, input, failure in
                try await Self.page(of: reference, visit, typed: try input["addStudents"] ?? "", failure: failure)
            }
        ) { visit, input in
            try visit.requireSchool()
            try visit.require(EditClass.self)
            var change = EditClass(class: reference)
            if try input["action"] == "remove" {
                change.removeStudents = input.all("choice").map(PersonReference.init)
            } else {
                change.addStudents = try input.lines("addStudents")?.map(PersonReference.init)
            }
            guard change.removeStudents?.isEmpty == false || change.addStudents?.isEmpty == false else {
                return .refusal(try await Self.page(of: reference, visit, isNobodyChosen: true))
            }
            return .next(path, changes: try await visit.perform(change, ifVersion: try input.version).changes)
        }
    }

    // MARK: What is done with it

    private func ask(_ action: ClassAction, _ request: Request, _ context: AppContext) async throws -> Response {
        let reference = try context.pathInput("class")
        return try await door.open(request, context, in: .classes, confirmsIdentity: action == .remove) { visit in
            try visit.requireSchool()
            let record = try await visit.ask(ShowClass(class: ClassReference(reference)))
            let path = ClassWords.path(of: record.number)
            let preview = try await visit.preview(action.change, of: reference)
            return .page(
                ConfirmPage(
                    desk: visit.desk, section: .classes, heading: action.heading(of: record.name),
                    parent: ConsoleLink(.named(record.name), to: path), consequences: action.consequences(for: record),
                    preview: preview, action: "\(path)/\(action.rawValue)", button: action.button,
                    isFinal: action.change.undo != .possible))
        }
    }

    private func act(_ action: ClassAction, _ request: Request, _ context: AppContext) async throws -> Response {
        let reference = try context.pathInput("class")
        return try await door.submit(
            request, context, in: .classes, from: request.routedPath, confirmsIdentity: action == .remove
        ) { visit, input in
            try visit.requireSchool()
            let changes = try await visit.perform(action.change, on: reference, ifVersion: try input.version)
            return .next(
                action == .remove ? "\(Self.path)?state=archived" : "\(Self.path)/\(reference)", changes: changes)
        }
    }
}

extension ClassRoutes: BulkRoutes {
    @Sendable private func actOnSeveral(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(request, context, in: .classes, from: Self.path) { visit, input in
            try visit.requireSchool()
            return try await Self.bulkAnswer(input, visit)
        }
    }

    static func bulkAct(_ input: ConsoleInput, at _: Desk) throws -> BulkAct? {
        guard let action: ClassAction = try input.value("action"), ClassAction.forSeveral.contains(action) else {
            return nil
        }
        return BulkAct(
            value: action.rawValue, change: action.change, heading: action.heading(of: nil),
            consequences: { _ in action.consequences(for: nil) }, button: action.button)
    }

    static func query(_ input: ConsoleInput) throws -> ClassesPage.Query {
        .init(
            text: try input["text"], location: try input["at"], term: try input["term"],
            isArchived: try input["state"] == "archived", after: try input["after"].flatMap { Int64($0) })
    }

    static func page(
        _ query: ClassesPage.Query, isNothingChosen: Bool, _ visit: ConsoleDoor.Visit
    ) async throws -> any DeskPage {
        ClassesPage(
            desk: visit.desk, query: query, found: try await visit.ask(list(query, limit: shown)),
            locations: try await visit.locations(), terms: try await visit.terms(), isNothingChosen: isNothingChosen)
    }

    static func choices(
        _ query: ClassesPage.Query, limit: Int, _ visit: ConsoleDoor.Visit
    ) async throws -> [String] {
        try await visit.ask(list(query, limit: limit)).classes.map { "CL-\($0.number)" }
    }

    private static func list(_ query: ClassesPage.Query, limit: Int) -> ListClasses {
        ListClasses(
            archived: query.isArchived, at: query.location.map(LocationReference.init),
            term: query.term.map(TermReference.init), text: query.text, after: query.after, limit: limit)
    }
}

// MARK: Operations

/// A change that names nothing but a class.
protocol ClassChange: SubjectChange {
    init(class reference: ClassReference)
}

extension ClassChange {
    init(of reference: String) { self.init(class: ClassReference(reference)) }
}

extension ArchiveClass: ClassChange {}
extension RestoreClass: ClassChange {}
extension RemoveClass: ClassChange {}

extension ClassAction {
    fileprivate var change: any SubjectChange.Type {
        switch self {
        case .archive: ArchiveClass.self
        case .restore: RestoreClass.self
        case .remove: RemoveClass.self
        }
    }
}

extension ConsoleDoor.Visit {
    /// What belongs to schools is not there for others.
    /// - Throws: ``PageError/notFound``
    func requireSchool() throws {
        guard desk.isSchool else { throw PageError.notFound }
    }

    /// The terms of which one can be chosen; none for those who may not see them.
    func terms() async throws -> [TermRecord] {
        desk.may(ListTerms.privilege) ? try await ask(ListTerms()).terms : []
    }
}

extension AppContext {
    /// The class in the path, which links write as `CL-` and a number.
    fileprivate var rosterClass: ClassReference {
        get throws { ClassReference(try pathInput("class")) }
    }
}
