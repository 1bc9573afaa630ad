import Foundation
import Ground
import JWTKit
import LanyardAPI

/// The service's public keys, fetched when first needed and kept for a quarter of an hour, as the service says of them:
/// what a key has signed that was taken out of service, because somebody else has it, is not believed for longer.
///
/// An unknown key id asks for them again, as the service may have a new key; but not more than once a minute, or anyone
/// who can send us a made-up token could make us send requests.
actor VerificationKeys {
    private struct Fetched {
        /// The algorithm of each, by its id.
        let algorithms: [String: String]
        let collection: JWTKeyCollection
        let at: Date
    }

    /// Of a JWS that is believed, RFC 7518 section 3.1.
    enum Algorithm: String, CaseIterable {
        case rs256 = "RS256"
        case es256 = "ES256"
    }

    private let url: String
    private let algorithms: Set<Algorithm>
    private let transport: Transport
    private let now: @Sendable () -> Date
    private var fetched: Fetched?
    private var attemptedAt = Date.distantPast
    private let fetching = SingleFlight<Fetched>()

    private static let lifetime: TimeInterval = 900
    private static let pause: TimeInterval = 60

    /// - Parameter algorithms: That the service may sign with.
    init(
        url: String, algorithms: Set<Algorithm> = [.rs256], transport: @escaping Transport,
        now: @escaping @Sendable () -> Date
    ) {
        self.url = url
        self.algorithms = algorithms
        self.transport = transport
        self.now = now
    }

    /// More than any token of this protocol; nobody makes us decode more.
    private static let tokenBytesMax = 16 << 10

    /// Checks form, algorithm and signature of a JWS in compact serialization, and nothing that its claims say.
    /// - Parameter types: What `typ` may be if there is one, in lower case: a token of one kind is not taken for another
    ///   (RFC 8725 section 3.11).
    func verify<Claims: JWTPayload>(
        _ token: String, as type: Claims.Type, types: Set<String> = ["jwt"]
    ) async throws -> Claims {
        guard token.utf8.count <= Self.tokenBytesMax else { throw LanyardClientError.invalidToken(.malformed) }
        let header = try Header(of: token)
        // Never what the token asks for: not `none`, and not an HMAC of which the public key would be the secret.
        guard let algorithm = Algorithm(rawValue: header.algorithm), algorithms.contains(algorithm) else {
            throw LanyardClientError.invalidToken(.unsupportedAlgorithm)
        }
        guard header.type.map({ types.contains($0.lowercased()) }) ?? true else {
            throw LanyardClientError.invalidToken(.malformed)
        }
        // Extensions that must be understood, of which there is none that we know. RFC 7515 section 4.1.11.
        guard !header.hasCritical else { throw LanyardClientError.invalidToken(.malformed) }
        let keys = try await keys(including: header.keyID)
        // A key is for one algorithm, whatever the token says.
        guard keys.algorithms[header.keyID] == algorithm.rawValue else {
            throw LanyardClientError.invalidToken(.unsupportedAlgorithm)
        }
        do {
            return try await keys.collection.verify(token, as: type)
        } catch let error as JWTError where error.errorType == .signatureVerificationFailed {
            throw LanyardClientError.invalidToken(.invalidSignature)
        } catch {
            throw LanyardClientError.invalidToken(.malformed)
        }
    }

    private func keys(including keyID: String) async throws -> Fetched {
        let now = now()
        // Also after the clock was set back, by which they would otherwise be believed for longer.
        if let fetched, abs(now.timeIntervalSince(fetched.at)) < Self.lifetime, fetched.algorithms[keyID] != nil {
            return fetched
        }
        let fetched = try await fetching.run { try await self.fetch() }
        guard fetched.algorithms[keyID] != nil else { throw LanyardClientError.invalidToken(.unknownKey) }
        return fetched
    }

    private func fetch() async throws -> Fetched {
        let now = now()
        if abs(now.timeIntervalSince(attemptedAt)) < Self.pause {
            // Only keys that the latest attempt got say anything about an id that is not among them.
            guard fetched?.at == attemptedAt else {
                throw LanyardClientError.transport("The keys could not be read just now.")
            }
            throw LanyardClientError.invalidToken(.unknownKey)
        }
        attemptedAt = now
        let response = try await transport(WireRequest(.get, url))
        guard response.status == 200 else { throw response.asUnexpected }
        let fetched = try await Self.collect(response.decode(JWKSet.self), at: now)
        self.fetched = fetched
        return fetched
    }

    /// Keys of other kinds are left out: they may be there for other purposes.
    private static func collect(_ set: JWKSet, at time: Date) async -> Fetched {
        let collection = JWTKeyCollection()
        var algorithms: [String: String] = [:]
        for key in set.keys where key.use ?? "sig" == "sig" {
            guard let keyID = key.keyID else { continue }
            let name = JWKIdentifier(string: keyID)
            switch key.keyType {
            case "RSA" where key.algorithm ?? "RS256" == "RS256":
                guard let modulus = key.modulus, let exponent = key.exponent,
                    let publicKey = try? Insecure.RSA.PublicKey(modulus: modulus, exponent: exponent)
                else { continue }
                await collection.add(rsa: publicKey, digestAlgorithm: .sha256, kid: name)
                algorithms[keyID] = Algorithm.rs256.rawValue
            case "EC" where key.algorithm ?? "ES256" == "ES256" && key.curve == "P-256":
                guard let x = key.x, let y = key.y, let publicKey = try? ES256PublicKey(parameters: (x, y)) else {
                    continue
                }
                await collection.add(ecdsa: publicKey, kid: name)
                algorithms[keyID] = Algorithm.es256.rawValue
            default: continue
            }
        }
        return Fetched(algorithms: algorithms, collection: collection, at: time)
    }
}

/// The header fields that choose the key. RFC 7515 section 4.1.
private struct Header {
    let algorithm: String
    let keyID: String
    let type: String?
    let hasCritical: Bool

    init(of token: String) throws {
        guard let header = (try? CompactJWT(token, bytesMax: TokenVerifier.bytesMax))?.header, let keyID = header.keyID,
            header.hasType == (header.type != nil)
        else { throw LanyardClientError.invalidToken(.malformed) }
        algorithm = header.algorithm
        self.keyID = keyID
        type = header.type
        hasCritical = header.hasCritical
    }
}
