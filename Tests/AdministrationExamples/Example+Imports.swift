import Administration
import Directory
import Fixtures
import RosterFiles
import Storage

extension Example {
    package static let imports: [Example] = [
        .inquiry { _ in ListImports() },
        .inquiryInScene({ ShowImport(import: try await $1.lastImports().later) }) { scene, _ in
            try await scene.importRoster()
        },
        .inquiryInScene({ _, scene in
            let (earlier, later) = try await scene.lastImports()
            return CompareImports(import: later, from: earlier)
        }) { scene, _ in
            try await scene.importRoster()
            var files = RosterTexts()
            files.students[1] = "S-2,L-1,Bo,Bergmann,,,4,,,"
            try await scene.importRoster(files)
        },
        .change { _ in ImportRoster(.archive(archive)) },
        .changeInScene({ UndoImport(import: try await $1.lastImports().later) }) { scene, _ in
            try await scene.importRoster()
        },
        .change(
            { _ in DiscardImport(import: ImportReference(ImportReference.held)) },
            after: { scene, _ in try await scene.holdImport() }),
    ]

    // The files are written by this test.
    private static let archive = try! RosterTexts().archive()
}

extension Scene {
    @discardableResult
    package func importRoster(
        _ files: RosterTexts = RosterTexts(), approving plan: String? = nil, term: String? = nil,
        schools: [String]? = nil, hold: Bool? = nil
    ) async throws -> Done<ImportRoster.Answer> {
        try await self.operator.perform(
            ImportRoster(
                .archive(files.archive()), approve: plan, term: term, schools: schools?.map { LocationReference($0) },
                hold: hold),
            in: maple)
    }

    /// Imports files, also those that wait for approval.
    package func importApproved(_ files: RosterTexts) async throws -> Done<ImportRoster.Answer> {
        let done = try await importRoster(files)
        guard done.answer.outcome == .held else { return done }
        return try await importRoster(files, approving: done.answer.planID)
    }

    /// An import that waits for approval, because most pupils would leave, after one that was applied.
    /// - Returns: the id of its plan.
    @discardableResult
    package func holdImport() async throws -> String {
        var files = RosterTexts()
        files.students = (1...80).map { "S-\($0),L-1,Pupil,Number\($0),,,4,,," }
        files.rosters = []
        try await importRoster(files)
        return try await holdAgain()
    }

    /// The second one of ``holdImport()`` once more.
    package func holdAgain() async throws -> String {
        var files = RosterTexts()
        files.students = (1...20).map { "S-\($0),L-1,Pupil,Number\($0),,,4,,," }
        files.rosters = []
        return try await importRoster(files).answer.planID!  // a plan that is held has an id
    }

    /// The newest import and the one before; the newest twice if it is the only one.
    package func lastImports() async throws -> (earlier: ImportReference, later: ImportReference) {
        let imports = try await self.operator.ask(ListImports(), in: maple).imports.map { ImportReference($0.number) }
        return (imports[min(1, imports.count - 1)], imports[0])
    }
}
