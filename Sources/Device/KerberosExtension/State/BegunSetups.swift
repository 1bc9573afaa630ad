import ExtensionVault
import SingleSignOnExtension

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The realms for which people may be asked to sign in although their payload puts that off (`delayUserSetup`), because it was
/// begun. It is written down, because the extension ends between requests. docs/specifications/extensible-single-sign-on.md, 22.18.
struct BegunSetups: Sendable {
    let folder: ExtensionFolder

    private static func file(_ realm: String) -> String { "begun-\(realm)" }

    func contains(_ realm: String) -> Bool { folder.read(Self.file(realm)) != nil }

    func add(_ realm: String) {
        guard !contains(realm) else { return }
        do {
            try folder.write(Data(), to: Self.file(realm))
        } catch {
            writeToLog("that signing in to \(realm) was begun is not written down: \(error)")
        }
    }

    func remove(_ realm: String) { folder.remove(Self.file(realm)) }
}
