import Authorization
import Ground

extension School {
    /// An app called “Quizzler”, which this school has not decided about yet.
    package func insertApp() async throws -> RegisteredApp {
        let masterKey = MasterKey(bytes: fixed.surroundings.randomBytes(32))
        return try await RegisteredApp.insert(in: database, fixed, under: masterKey)
    }
}
