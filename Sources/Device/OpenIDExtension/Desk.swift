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

/// Where all requests of all callers are worked on, several at once, off the main actor.
///
/// Everything is made when it is first needed: most requests need little of it, and the extension is started for each
/// handful of them.
final class Desk: Sendable {
    let vault: Vault
    let surroundings: Surroundings
    private let folder: ExtensionFolder
    private let lazyJar = Mutex<CookieJar?>(nil)
    private let lazyKey = Mutex<DeviceKey?>(nil)
    private let metadata = Mutex<[Description: (ProviderMetadata, Date)]>([:])
    private let refreshes = SingleFlights<Refresh, SavedTokens>()
    /// A refresh token is used by one at a time: many providers take one that comes twice for a stolen one.
    private let renewals = Gate<Renewal>(width: 1)
    /// Held while a caller's file of tokens is read and written.
    private let storing = Mutex(())
    private let nonces = Provider.Nonces()
    /// Of requests that nobody is asked for, by the origin of the provider, each as wide as a browser's: a provider that keeps
    /// a few open requests for each browser would forget some of a hundred, and one that hangs holds up no other.
    let silentRequests = Gate<WebOrigin?>(width: 6)

    /// Whose refresh token is used.
    private struct Renewal: Hashable {
        let caller: String
        let wish: TokenWish
    }

    /// Identical silent refreshes; docs/specifications/extensible-single-sign-on.md, 19.7.
    struct Refresh: Hashable {
        let caller: String
        let wanted: TokenRequest
        let settings: Settings
    }

    /// What an issuer says of itself, to who believes these authorities.
    private struct Description: Hashable {
        let issuer: String
        let authorities: [String]
    }

    init(_ folder: ExtensionFolder = .shared, surroundings: Surroundings) {
        self.folder = folder
        self.surroundings = surroundings
        vault = Vault(folder)
    }

    var jar: CookieJar {
        lazyJar.withLock { jar in
            if let jar { return jar }
            let made = CookieJar(in: vault, now: surroundings.now)
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
                // Of a session that began while somebody types nothing is lost, whatever happens meanwhile.
                jar.save()
                return try await request.present(form)
            },
            isDestination: isDestination,
            signInSilently: { [self] page in await signInAsDevice(page, settings) })
    }

    /// Whether it is worth asking a provider without a person: there is something of a session, or a way to begin one.
    func mayBeSignedIn(at url: URL) -> Bool {
        let boundary = ProviderBoundary([url])
        let hasCookies = jar.http.cookies().contains { boundary.receivesCookies(of: HTTPClient.domain(of: $0)) }
        return hasCookies || (try? Pairing.find(in: vault)).flatMap { URL(string: $0.server)?.origin } == url.origin
    }

    /// Whether this device is paired with the server of a page, and was signed in with it just now.
    func signInAsDevice(_ page: URL, _ settings: Settings) async -> Bool {
        do {
            guard let pairing = try Pairing.find(in: vault), let origin = URL(string: pairing.server)?.origin,
                origin == page.origin
            else { return false }
            return await pairing.signIn(
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
        // Of each profile anew: another one's may trust it with more.
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

    /// The same refresh by the same caller, asked for while it is under way, is made once.
    func refreshOnce(
        _ refresh: Refresh, _ body: @escaping @Sendable () async throws -> SavedTokens
    ) async throws -> SavedTokens {
        try await refreshes.run(refresh) { [self] in
            try await renewals.pass(.init(caller: refresh.caller, wish: refresh.wanted.wish), body)
        }
    }

    /// Forgets what was saved for anybody under a profile that is gone: the web session and the tokens of its provider,
    /// and the pairing with it. Another profile's stay.
    /// - Parameter starts: addresses of the provider.
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
        let pairing = try Pairing.find(in: vault)
        if let origin = pairing.flatMap({ URL(string: $0.server)?.origin }), origins.contains(origin) {
            Pairing.remove(from: vault)
            lazyKey.withLock { key in
                key = nil
                DeviceKey.remove(from: vault)
            }
        }
    }

    /// Forgets the cookies that a provider's hosts would get.
    func forgetSession(_ settings: Settings, starts: [URL]) throws {
        try jar.remove(
            where: ProviderBoundary(starts, hosts: settings.identityProviderHosts).receivesCookies)
    }

    /// The folders below one that have a file of the name.
    private static func folders(in path: String, named name: String) -> [String] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return (entries.contains(name) ? [path] : [])
            + entries.filter { $0 != name }.flatMap { folders(in: "\(path)/\($0)", named: name) }
    }
}
