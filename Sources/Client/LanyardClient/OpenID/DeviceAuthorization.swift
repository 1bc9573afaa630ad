import Foundation
import LanyardAPI

/// A device sign-in that waits for a person to approve it with a phone or another computer. RFC 8628.
public struct DeviceAuthorization: Sendable {
    /// The code that the person enters, in the form to be shown.
    public var userCode: String
    /// The address at which the person enters it.
    public var verificationURI: String
    /// The same address with the code in it, for a link or a QR code; nil if the provider has none.
    public var verificationURIComplete: String?
    /// When the code expires; the person then has to start again.
    public var expiresAt: Date
    let deviceCode: String
    let interval: Duration
    let nonce: String?
}

extension DeviceAuthorization: CustomReflectable {
    /// Hides the secrets, so that they do not get into a log.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["verificationURI": verificationURI, "expiresAt": expiresAt], displayStyle: .struct)
    }
}

extension OpenIDClient {
    /// Begins the sign-in of a device without a browser. Show the result to the person, and wait with `tokens(for:)`.
    /// - Parameters:
    ///   - scopes: `openid` is added.
    ///   - nonce: Comes back in the identity token if the provider supports it here, which no standard asks for.
    public func authorizeDevice(scopes: [Scope], nonce: String? = nil) async throws -> DeviceAuthorization {
        guard let endpoint = try await metadata().deviceAuthorizationEndpoint else {
            throw LanyardClientError.unexpectedAnswer(
                status: 200, "The provider has no device authorization endpoint.", requestID: nil)
        }
        let parameters: FormParameters = [
            "client_id": configuration.clientID,
            "client_secret": configuration.clientSecret,
            "scope": scopes.withOpenID.scopeList,
            "nonce": nonce,
        ]
        let requestedAt = now()
        let response = try await transport(WireRequest(.post(form: parameters.encoded), endpoint))
            .accepted().decode(DeviceAuthorizationResponse.self)
        return DeviceAuthorization(
            userCode: response.userCode,
            verificationURI: response.verificationURI,
            verificationURIComplete: response.verificationURIComplete,
            expiresAt: requestedAt.addingTimeInterval(TimeInterval(response.expiresIn)),
            deviceCode: response.deviceCode,
            interval: .seconds(min(max(response.interval ?? 5, 1), 3_600)),
            nonce: nonce
        )
    }

    /// Waits until the person has approved the sign-in, and verifies who it was.
    ///
    /// Polls at the provider's interval, which grows by five seconds each time that the provider demands it. Continues
    /// after a lost connection. RFC 8628 section 3.5.
    /// - Throws: `LanyardClientError.oauth` with `access_denied` if the person said no, `expired_token` if nobody
    ///   answered.
    public func tokens(for device: DeviceAuthorization) async throws -> OpenIDResult {
        let provider = try await provider.current()
        let tokens = try await redeem(device, at: provider)
        // The code works only once, so a temporary failure to get the keys must not lose the tokens.
        while true {
            do {
                return try await result(tokens, device: device, from: provider)
            } catch LanyardClientError.transport where now() < device.expiresAt {
                try await sleep(device.interval)
            }
        }
    }

    private func redeem(_ device: DeviceAuthorization, at provider: DiscoveredProvider.Current) async throws -> Tokens {
        var interval = device.interval
        while now() < device.expiresAt {
            try await sleep(interval)
            do {
                return try await requestTokens(
                    [
                        "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
                        "device_code": device.deviceCode,
                        "client_id": configuration.clientID,
                        "client_secret": configuration.clientSecret,
                    ], from: provider)
            } catch LanyardClientError.oauth(.authorizationPending, _, _) {
                continue
            } catch LanyardClientError.oauth(.slowDown, _, _) {
                interval += .seconds(5)
            } catch LanyardClientError.rateLimited(let delay, _) {
                interval = max(interval + .seconds(5), delay ?? .zero)
            } catch LanyardClientError.transport {
                interval = min(interval * 2, .seconds(60))
            }
        }
        throw LanyardClientError.oauth(.expiredToken, requestID: nil)
    }

    /// A provider need not return the nonce here, but if there is one it must be ours.
    private func result(
        _ tokens: Tokens,
        device: DeviceAuthorization,
        from provider: DiscoveredProvider.Current
    ) async throws -> OpenIDResult {
        do {
            return try await result(tokens, nonce: device.nonce, from: provider)
        } catch LanyardClientError.invalidToken(.wrongNonce) where device.nonce != nil {
            return try await result(tokens, nonce: nil, from: provider)
        }
    }
}
