import SingleSignOnExtension

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is kept of an answer, for one caller.
struct SavedTokens: Codable, Sendable {
    let wish: TokenWish
    var accessToken: String
    var tokenType: String
    var scope: String
    /// nil if the provider does not say.
    var expiresAt: Date?
    var identityToken: String?
    /// In the identity token.
    var nonce: String?
    /// Never leaves the extension.
    var refreshToken: String?
    /// Goes with the refresh token when it is exchanged, as often as it takes until an answer has come and is saved.
    /// Saved before it is needed: after a crash nobody knows whether the provider was asked.
    var idempotencyKey: String?

    /// Whether an app can do something with it yet.
    func isFresh(at now: Date) -> Bool { expiresAt.map { $0 > now.addingTimeInterval(30) } ?? false }
}

/// The tokens of each caller, in its own folder.
struct TokenStore: Sendable {
    static let fileName = "tokens"

    let vault: Vault
    let folder: ExtensionFolder

    /// - Throws: ``Vault/Locked``
    func all() throws -> [SavedTokens] {
        guard let data = try vault.read(Self.fileName, in: folder) else { return [] }
        return (try? JSONDecoder().decode([SavedTokens].self, from: data)) ?? []
    }

    func find(_ wish: TokenWish) throws -> SavedTokens? { try all().first { $0.wish == wish } }

    /// On the disk when it returns. Called by one at a time: ``Desk`` sees to it.
    func save(_ tokens: SavedTokens) throws {
        try write(all().filter { $0.wish != tokens.wish } + [tokens])
    }

    /// - Returns: what was removed.
    func remove(where matches: (SavedTokens) -> Bool) throws -> [SavedTokens] {
        let all = try all()
        let removed = all.filter(matches)
        if !removed.isEmpty { try write(all.filter { !matches($0) }) }
        return removed
    }

    private func write(_ tokens: [SavedTokens]) throws {
        try vault.write(JSONEncoder().encode(tokens), to: Self.fileName, in: folder)
    }
}
