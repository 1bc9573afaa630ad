import ExtensionVault
import Ground
import SingleSignOnExtension
import SingleSignOnWire
import Synchronization
import WebClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What all requests share: the vault, the web session, the device's key, caches and locks. Requests of all callers run
/// at the same time, off the main actor.
///
/// Everything is made at first use: the extension often runs for a few requests only, and most need little of it.
final class Desk: Sendable {
    let vault: Vault
    let surroundings: Surroundings
    private let folder: ExtensionFolder
    private let lazyJar = Mutex<SavedCookies?>(nil)
    private let lazyKey = Mutex<DeviceKey?>(nil)
    private let metadata = Mutex<[Description: (ProviderMetadata, Date)]>([:])
    private let refreshes = SingleFlights<Refresh, SavedTokens>()
    /// Lets one request at a time use a refresh token: many providers treat one that arrives twice as stolen.
    private let renewals = Gate<Renewal>(width: 1)
    /// Held while a caller's token file is read and written.
    private let storing = Mutex(())
    private let nonces = Provider.Nonces()
    /// Limits silent requests to six per provider origin, as browsers limit connections. Some providers remember only a
    /// few open requests per browser, so that a hundred at once would fail. A provider that hangs delays no other.
    let silentRequests = Gate<WebOrigin?>(width: 6)

    /// Identifies a refresh token.
    private struct Renewal: Hashable {
        let caller: String
        let wish: TokenWish
    }

    /// Identical silent refreshes are equal: docs/specifications/extensible-single-sign-on.md, 19.7.
    struct Refresh: Hashable {
        let caller: String
        let wanted: TokenRequest
        let settings: Settings
    }

    /// The cache key of an issuer's metadata. Which metadata is authentic depends on the authorities that are trusted.
    private struct Description: Hashable {
        let issuer: String
        let authorities: [String]
    }

    init(_ folder: ExtensionFolder = .shared, surroundings: Surroundings) {
        self.folder = folder
        self.surroundings = surroundings
        vault = Vault(folder)
    }

    var jar: SavedCookies {
        lazyJar.withLock { jar in
            if let jar { return jar }
            let made = SavedCookies(in: vault, now: surroundings.now)
            jar = made
            return made
        }
    }

    func deviceKey() throws -> DeviceKey {
        try lazyKey.withLock { key in
            if let key { return key }
            let found = try DeviceKey.find(in: vault)
            key = found
            return found
        }
    }

    // MARK: Web sessions

    func webSession(
        for request: ASAuthorizationProviderExtensionAuthorizationRequest, settings: Settings, starts: [URL],
        isInteractive: Bool, isDestination: @escaping @Sendable (URL) -> Bool = { _ in false }
    ) -> WebSession {
        let jar = jar
        return WebSession(
            http: jar.http, boundary: ProviderBoundary(starts, hosts: settings.identityProviderHosts),
            settings: settings, headers: request.httpHeaderFields, isInteractive: isInteractive,
            present: { form in
                // Save now: a session that has begun must survive whatever happens while the form is shown.
                jar.save()
                return try await request.present(form)
            },
            isDestination: isDestination,
            signInSilently: { [self] page in await signInAsDevice(page, settings) })
    }

    /// Whether a silent request may succeed: the provider has cookies here, or this device is paired with it.
    func mayBeSignedIn(at url: URL) -> Bool {
        let boundary = ProviderBoundary([url])
        let hasCookies = jar.http.cookies().contains { boundary.receivesCookies(of: HTTPClient.domain(of: $0)) }
        // Reading the vault may ask for the keyring.
        if hasCookies { return true }
        return (try? DeviceRegistration.find(in: vault)).flatMap { URL(string: $0.server)?.origin } == url.origin
    }

    /// Signs in with the device's key, if the device is paired with the server of `page`.
    /// - Returns: whether the person is signed in now.
    func signInAsDevice(_ page: URL, _ settings: Settings) async -> Bool {
        do {
            guard let registration = try DeviceRegistration.find(in: vault),
                let origin = URL(string: registration.server)?.origin,
                origin == page.origin
            else { return false }
            return await registration.signIn(
                key: try deviceKey(), facts: .read(), settings: settings, http: jar.http, surroundings: surroundings)
        } catch {
            writeToLog("this device is not signed in: \(error)")
            return false
        }
    }

    // MARK: Providers

    func provider(_ request: TokenRequest, settings: Settings) async throws -> Provider {
        let issuer = request.wish.issuer
        let description = Description(issuer: issuer, authorities: settings.certificateAuthorities)
        let known = metadata.withLock { $0[description] }
        let found: ProviderMetadata
        if let (metadata, readAt) = known, surroundings.now().timeIntervalSince(readAt) < 600 {
            found = metadata
        } else {
            found = try await Provider.discover(issuer, settings: settings, http: jar.http)
            metadata.withLock { $0[description] = (found, surroundings.now()) }
        }
        // Check cached metadata too: it may have been read for a profile that trusts more hosts.
        try found.check(settings)
        return Provider(
            http: jar.http, settings: settings, metadata: found, client: request.wish.client,
            deviceKey: { [self] in try deviceKey() }, nonces: nonces, surroundings: surroundings)
    }

    // MARK: Tokens

    func withTokens<Value>(
        of request: ASAuthorizationProviderExtensionAuthorizationRequest, _ body: (TokenStore) throws -> Value
    ) throws -> Value {
        try storing.withLock { _ in try body(TokenStore(vault: vault, folder: request.callerData)) }
    }

    /// Runs `body` once for all equal refreshes that arrive while it runs.
    func refreshOnce(
        _ refresh: Refresh, _ body: @escaping @Sendable () async throws -> SavedTokens
    ) async throws -> SavedTokens {
        try await refreshes.run(refresh) { [self] in
            try await renewals.pass(.init(caller: refresh.caller, wish: refresh.wanted.wish), body)
        }
    }

    /// Deletes what was saved under a profile that was removed, for all callers: the provider's cookies and tokens, and
    /// the registration with it. What belongs to other providers stays.
    /// - Parameter starts: URLs of the provider. Their origins decide what belongs to it.
    func forget(_ settings: Settings, starts: [URL]) throws {
        let names = starts.map(\.absoluteString)
        let origins = Set(starts.compactMap(\.origin))
        try storing.withLock { _ in
            for folder in Self.folders(in: "\(folder.path)/callers", named: TokenStore.fileName) {
                _ = try TokenStore(vault: vault, folder: ExtensionFolder(path: folder)).remove { tokens in
                    names.contains(tokens.wish.issuer)
                        || URL(string: tokens.wish.issuer)?.origin.map(origins.contains) ?? true
                }
            }
        }
        try forgetSession(settings, starts: starts)
        let registration = try DeviceRegistration.find(in: vault)
        if let origin = registration.flatMap({ URL(string: $0.server)?.origin }), origins.contains(origin) {
            DeviceRegistration.remove(from: vault)
            lazyKey.withLock { key in
                key = nil
                DeviceKey.remove(from: vault)
            }
        }
    }

    /// Deletes the cookies that would be sent to a provider's hosts.
    func forgetSession(_ settings: Settings, starts: [URL]) throws {
        try jar.remove(
            where: ProviderBoundary(starts, hosts: settings.identityProviderHosts).receivesCookies)
    }

    /// `path` and all folders below it that contain a file called `name`.
    private static func folders(in path: String, named name: String) -> [String] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return (entries.contains(name) ? [path] : [])
            + entries.filter { $0 != name }.flatMap { folders(in: "\(path)/\($0)", named: name) }
    }
}
