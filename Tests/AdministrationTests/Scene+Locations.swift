import Administration
import AdministrationExamples

extension Scene {
    /// The names of the locations that are there, or of those that were removed.
    func locationNames(removed: Bool = false) async throws -> [String] {
        try await `operator`.ask(ListLocations(removed: removed), in: maple).locations.map(\.name)
    }
}
