import CryptoExtras
import Foundation
import JWTKit
import LanyardAPI
import LanyardClient
import Synchronization

/// A Lanyard server as Quizzler sees it: one organization, whose consent and roster a test can change.
final class FakeService: Sendable {
    struct State: Sendable {
        var organization = Organization(id: "org/1", type: "EDUCATION", name: "Maple District")
        var users: [User] = []
        var classes: [RosterClass] = []
        var hasConsent = true
        /// Answers of the next requests for users, in place of the page.
        var usersStatus: Int?
        var nonce: String?
        /// What Quizzler has given back.
        var revokedTokens: [String] = []
        /// Refresh tokens `r1`, `r2` and so on, one for each exchange.
        var exchanges = 0
        /// Refresh tokens that are no longer good, nor are the access tokens that came of them.
        var deadTokens: Set<String> = []
        /// Answers of requests for the keys and for revocation, in place of the right ones.
        var keysStatus: Int?
        var revokeStatus: Int?
        /// While true, requests for classes are not answered.
        var holdsClasses = false
        /// Somebody has asked for them meanwhile.
        var isHoldingClasses = false
        /// Who signs in next.
        var visitor = Visitor.parent
        var signInNonce = ""
    }

    /// Somebody who can sign in.
    struct Visitor: Sendable {
        var id: String
        var email: String?
        var organizationID: String?
        /// The `user` field, as it is the first time.
        var user: String?

        static let parent = Visitor(
            id: "p1", email: "x7@relay.example",
            user: #"{"name":{"firstName":"Maria","lastName":"Ruiz"},"email":"x7@relay.example"}"#)
        static let teacher = Visitor(
            id: "t1", email: "ana@maple.example", organizationID: "org/1",
            user: #"{"name":{"firstName":"Ana","lastName":"Ruiz"},"email":"ana@maple.example"}"#)
        static let pupil = Visitor(
            id: "s3", organizationID: "org/1", user: #"{"name":{"firstName":"Fatima","lastName":"Silva"}}"#)
        static let staff = Visitor(id: "a1", email: "priya@maple.example", organizationID: "org/1")
    }

    private let state = Mutex(State())
    private let signingKey: JWTKit.Insecure.RSA.PrivateKey
    private static let url = "http://lanyard.test"

    init() throws {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        signingKey = try JWTKit.Insecure.RSA.PrivateKey(pem: key.pemRepresentation)
        state.withLock { state in
            state.users = [
                User(id: "t1", email: "ana@maple.example", givenName: "Ana", familyName: "Ruiz"),
                User(id: "s1", givenName: "<script>alert(1)</script>", familyName: "Okoye", grade: "7"),
                User(id: "s2", email: "taro@maple.example", givenName: "太郎", familyName: "山田"),
            ]
            state.classes = [
                RosterClass(
                    id: "CL:1", name: "Earth Science", number: "SCI-7B", locationID: "LO:1", instructorIDs: ["t1"],
                    studentIDs: ["s1", "s2", "gone"])
            ]
        }
    }

    var revokedTokens: [String] { state.withLock { $0.revokedTokens } }
    var isHoldingClasses: Bool { state.withLock { $0.isHoldingClasses } }

    func change(_ change: (inout State) -> Void) {
        state.withLock { change(&$0) }
    }

    func client(now: @escaping @Sendable () -> Date) throws -> LanyardClient {
        let key = P256.Signing.PrivateKey()
        return try LanyardClient(
            configuration: LanyardClient.Configuration(
                baseURL: Self.url, clientID: "example.quizzler", teamID: "T", keyID: "K",
                privateKeyPEM: key.pemRepresentation),
            transport: { try await self.respond(to: $0) },
            now: now,
            sleep: { _ in }
        )
    }

    /// The body of a notification that the organization has revoked its consent.
    func revocation(id: String, at time: Date) async throws -> String {
        let payload = NotificationPayload(
            issuer: Self.url + "/auth/oauth2/v2", audience: "example.quizzler",
            issuedAt: Int(time.timeIntervalSince1970),
            id: id,
            events: [
                NotificationEvent(
                    type: NotificationEvent.consentRevoked, subject: "x", organizationID: "org/1", time: time)
            ])
        return #"{"payload":"\#(try await sign(payload))"}"#
    }

    /// The body of a notification about a person.
    func notification(_ type: String, of personID: String, id: String, at time: Date) async throws -> String {
        let payload = NotificationPayload(
            issuer: Self.url, audience: "example.quizzler", issuedAt: Int(time.timeIntervalSince1970), id: id,
            events: [NotificationEvent(type: type, subject: personID, time: time)])
        return #"{"payload":"\#(try await sign(payload))"}"#
    }

    private func respond(to request: WireRequest) async throws -> WireResponse {
        while request.url.contains("/classes"), state.withLock({ $0.holdsClasses }) {
            state.withLock { $0.isHoldingClasses = true }
            try await Task.sleep(for: .milliseconds(2))
        }
        let state = state.withLock { $0 }
        let path = request.url.dropFirst(Self.url.count).split(separator: "?")[0]
        let isDead = !state.hasConsent || state.deadTokens.contains(request.accessToken ?? "")
        if path.hasPrefix("/rosterapi"), isDead { return Self.answer(401) }
        switch path {
        case "/auth/oauth2/v2/token":
            return try await token(request)
        case "/auth/token":
            let identity = IdentityClaims(
                iss: Self.url, aud: "example.quizzler", sub: state.visitor.id, org_id: state.visitor.organizationID,
                email: state.visitor.email, iat: 0, exp: 9_999_999_999, nonce: state.signInNonce)
            return try Self.answer(
                TokenResponse(accessToken: "a", expiresIn: 3_600, refreshToken: "r", idToken: try await sign(identity)))
        case "/auth/oauth2/v2/revoke":
            if let status = state.revokeStatus { return Self.answer(status) }
            self.state.withLock { $0.revokedTokens.append(request.form["token"] ?? "") }
            return Self.answer(200)
        case "/auth/oauth2/v2/keys", "/auth/keys":
            if let status = state.keysStatus { return Self.answer(status) }
            let (modulus, exponent) = try signingKey.publicKey.getKeyPrimitives()
            let key = JWK(rsaModulus: modulus.base64URL, exponent: exponent.base64URL, keyID: "k")
            return try Self.answer(JWKSet(keys: [key]))
        case "/rosterapi/v1/organization":
            return try Self.answer(state.organization)
        case "/rosterapi/v1/locations":
            return try Self.answer(Locations(locations: [Location(id: "1", name: "Maple Elementary")]))
        case "/rosterapi/v1/users":
            if let status = state.usersStatus { return Self.answer(status) }
            return try Self.answer(Users(users: state.users))
        case "/rosterapi/v1/classes":
            return try Self.answer(Classes(classes: state.classes))
        default:
            return Self.answer(404)
        }
    }

    /// An access token is called like the refresh token that it came of.
    private func token(_ request: WireRequest) async throws -> WireResponse {
        let (state, refreshToken) = state.withLock { state in
            if request.form["grant_type"] == "authorization_code" { state.exchanges += 1 }
            return (state, request.form["refresh_token"] ?? "r\(state.exchanges)")
        }
        guard state.hasConsent, request.form["code"] ?? "good" == "good", !state.deadTokens.contains(refreshToken)
        else {
            return WireResponse(status: 400, body: Data(#"{"error":"invalid_grant"}"#.utf8))
        }
        guard request.form["code"] != nil else {
            return try Self.answer(TokenResponse(accessToken: refreshToken, expiresIn: 3_600))
        }
        let identity = IdentityClaims(
            iss: Self.url, aud: "example.quizzler", sub: "x", org_id: "org/1", email: nil, iat: 0, exp: 9_999_999_999,
            nonce: state.nonce)
        return try Self.answer(
            TokenResponse(
                accessToken: refreshToken, expiresIn: 3_600, refreshToken: refreshToken,
                idToken: try await sign(identity)))
    }

    private func sign(_ payload: some JWTPayload) async throws -> String {
        try await JWTKeyCollection()
            .add(rsa: signingKey, digestAlgorithm: .sha256)
            .sign(payload, header: ["kid": "k"])
    }

    private static func answer(_ value: some Encodable) throws -> WireResponse {
        WireResponse(status: 200, body: try JSONEncoder().encode(value))
    }

    private static func answer(_ status: Int) -> WireResponse {
        WireResponse(status: status, body: Data())
    }
}

private struct IdentityClaims: JWTPayload {
    let iss, aud, sub: String
    let org_id, email: String?
    let iat, exp: Int
    let nonce: String?
    func verify(using algorithm: some JWTAlgorithm) {}
}

extension NotificationPayload: JWTPayload {
    public func verify(using algorithm: some JWTAlgorithm) {}
}

extension Data {
    fileprivate var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

extension WireRequest {
    fileprivate var form: [String: String] {
        guard case .post(let form) = method else { return [:] }
        return Dictionary(
            uniqueKeysWithValues: form.split(separator: "&").map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1)
                return (String(parts[0]), parts.count > 1 ? parts[1].removingPercentEncoding ?? "" : "")
            })
    }
}
