import Foundation
import Ground
import LanyardAPI

/// A provider as its discovery document describes it, read when first needed and kept for a day.
actor DiscoveredProvider {
    struct Current: Sendable {
        let metadata: ProviderMetadata
        let keys: VerificationKeys
        let readAt: Date
    }

    private let configuration: OpenIDClient.Configuration
    private let transport: Transport
    private let now: @Sendable () -> Date
    private var latest: Current?
    private let reading = SingleFlight<Current>()

    private static let lifetime: TimeInterval = 86_400

    init(
        configuration: OpenIDClient.Configuration,
        transport: @escaping Transport,
        now: @escaping @Sendable () -> Date
    ) {
        self.configuration = configuration
        self.transport = transport
        self.now = now
    }

    func current() async throws -> Current {
        if let latest, abs(now().timeIntervalSince(latest.readAt)) < Self.lifetime {
            return latest
        }
        return try await reading.run { try await self.read() }
    }

    private func read() async throws -> Current {
        let time = now()
        let response = try await transport(WireRequest(.get, configuration.discoveryURL))
        guard response.status == 200 else { throw response.asUnexpected }
        let metadata = try response.decode(ProviderMetadata.self)
        // Byte for byte: whoever could make us read another document could make us believe another provider's tokens.
        guard metadata.issuer.isExactly(configuration.issuer) else {
            throw LanyardClientError.invalidToken(.wrongIssuer)
        }
        try metadata.requireEndpointsAsSafe(as: configuration.discoveryURL)
        // The same store of keys while the address is the same, so that its pause between requests holds.
        let keys = latest?.metadata.jwksURI == metadata.jwksURI ? latest?.keys : nil
        let algorithms = Set(VerificationKeys.Algorithm.allCases)
        let current = Current(
            metadata: metadata,
            keys: keys
                ?? VerificationKeys(url: metadata.jwksURI, algorithms: algorithms, transport: transport, now: now),
            readAt: time)
        latest = current
        return current
    }
}

extension ProviderMetadata {
    /// A document that came by https does not lead to where others can listen.
    fileprivate func requireEndpointsAsSafe(as discoveryURL: String) throws {
        guard discoveryURL.hasPrefix("https://") else { return }
        let endpoints = [
            authorizationEndpoint, tokenEndpoint, jwksURI, userInfoEndpoint, revocationEndpoint,
            deviceAuthorizationEndpoint, endSessionEndpoint,
        ]
        for endpoint in endpoints.compactMap({ $0 }) where !endpoint.hasPrefix("https://") {
            throw LanyardClientError.unexpectedAnswer(
                status: 200, "An endpoint is not reached by https: \(endpoint.prefix(200))", requestID: nil)
        }
    }
}
