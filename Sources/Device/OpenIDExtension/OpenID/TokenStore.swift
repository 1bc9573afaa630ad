import ExtensionVault
import SingleSignOnExtension

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The tokens that are kept for one caller and one wish.
struct SavedTokens: Codable, Sendable {
    let wish: TokenWish
    var accessToken: String
    var tokenType: String
    var scope: String
    /// nil if the provider does not say when the access token expires.
    var expiresAt: Date?
    var identityToken: String?
    /// The identity token's nonce.
    var nonce: String?
    /// Never given to a caller.
    var refreshToken: String?
    /// Sent with the refresh token each time until the answer has been saved, so that the provider can repeat an answer
    /// that was lost. It is saved before its first use: after a crash it is unknown whether the provider got the
    /// request.
    var idempotencyKey: String?

    /// Whether the access token is valid for at least another 30 seconds.
    func isFresh(at now: Date) -> Bool { expiresAt.map { $0 > now.addingTimeInterval(30) } ?? false }
}

/// Reads and writes the tokens of one caller, which has a folder of its own.
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

    /// The tokens are on disk when this returns. Callers must hold the lock of ``Desk/withTokens(of:_:)``.
    func save(_ tokens: SavedTokens) throws {
        try write(all().filter { $0.wish != tokens.wish } + [tokens])
    }

    /// - Returns: the tokens that were removed.
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
