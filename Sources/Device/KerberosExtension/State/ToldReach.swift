import SingleSignOnExtension
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Whether servers of a realm were reached when the session was last told, so that it is told changes alone. It is written
/// down, because the extension ends between requests.
final class ToldReach: Sendable {
    private let folder: ExtensionFolder
    private let told = Mutex<[String: Bool]>([:])

    init(folder: ExtensionFolder) { self.folder = folder }

    /// Takes note of it.
    /// - Returns: whether it is to be told.
    func isNew(_ realm: String, isReached: Bool) -> Bool {
        told.withLock { told in
            let name = "reached-\(realm)"
            let before = told[realm] ?? folder.read(name).map { $0 == Data("yes".utf8) }
            told[realm] = isReached
            guard before != isReached else { return false }
            // If it cannot be written, the next run tells it once more.
            try? folder.write(Data((isReached ? "yes" : "no").utf8), to: name)
            return true
        }
    }

    /// After the next sign-in the session is told again, whatever it was told before.
    func forget(_ realm: String) {
        told.withLock { told in
            told[realm] = nil
            folder.remove("reached-\(realm)")
        }
    }
}
