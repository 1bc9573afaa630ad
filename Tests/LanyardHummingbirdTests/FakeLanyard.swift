import Crypto
import CryptoExtras
import Foundation
import JWTKit
import LanyardAPI
import LanyardClient
import Synchronization

/// The service as an app sees it, with people who can sign in, stop, and come back.
final class FakeLanyard: Sendable {
    struct Person: Sendable {
        var id: String
        var email: String?
        var organizationID: String?
        /// The `user` field, as it is the first time.
        var user: String?
    }

    private struct Code: Sendable {
        let person: Person
        let nonce: String?
        let challenge: String?
        let redirectURI: String?
    }

    private struct State: Sendable {
        var now = Date(timeIntervalSince1970: 1_767_225_600)
        var codes: [String: Code] = [:]
        var people: [String: Person] = [:]  // by refresh token
        var refreshes: [String] = []
        var isDown = false
        var isMalicious = false
    }

    private let state = Mutex(State())
    private let key: JWTKit.Insecure.RSA.PrivateKey
    private static let url = "https://lanyard.example"

    static let parent = Person(
        id: "p1", email: "x7@relay.example",
        user: #"{"name":{"firstName":"Maria","lastName":"Ruiz"},"email":"x7@relay.example"}"#)
    static let teacher = Person(
        id: "t1", email: "ana@maple.example", organizationID: "org-1",
        user: #"{"name":{"firstName":"Ana","lastName":"Okoye"},"email":"ana@maple.example"}"#)
    static let pupil = Person(
        id: "s1", organizationID: "org-1", user: #"{"name":{"firstName":"Fatima","lastName":"Silva"}}"#)

    init() throws {
        key = try JWTKit.Insecure.RSA.PrivateKey(
            pem: _RSA.Signing.PrivateKey(keySize: .bits2048).pemRepresentation)
    }

    var now: Date { state.withLock { $0.now } }
    /// Refresh tokens that have been used, in order.
    var refreshes: [String] { state.withLock { $0.refreshes } }

    func advance(by seconds: TimeInterval) { state.withLock { $0.now += seconds } }
    func goDown(_ isDown: Bool = true) { state.withLock { $0.isDown = isDown } }
    /// Signs tokens for another attempt than the one that asked.
    func turnMalicious() { state.withLock { $0.isMalicious = true } }
    func stop(_ person: Person) { state.withLock { $0.people = $0.people.filter { $0.value.id != person.id } } }

    func client() throws -> LanyardClient {
        try LanyardClient(
            configuration: LanyardClient.Configuration(
                baseURL: Self.url, clientID: "example.quizzler", teamID: "T", keyID: "K",
                privateKeyPEM: P256.Signing.PrivateKey().pemRepresentation),
            transport: { try await self.respond(to: $0) }, now: { self.now }, sleep: { _ in })
    }

    /// What the service's page posts back after a person has pressed Continue.
    func answer(to url: String, as person: Person) -> String {
        let parameters = Self.fields(String(url.split(separator: "?", maxSplits: 1)[1]))
        let code = "c\(UInt64.random(in: 0 ..< .max))"
        state.withLock {
            $0.codes[code] = Code(
                person: person, nonce: parameters["nonce"], challenge: parameters["code_challenge"],
                redirectURI: parameters["redirect_uri"])
        }
        var answer = "code=\(code)&state=\(parameters["state"] ?? "")"
        if let user = person.user {
            answer += "&user=\(user.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!)"
        }
        return answer
    }

    /// The body of a notification with one event.
    func notification(_ event: String, id: String) async throws -> String {
        let payload = NotificationPayload(
            issuer: Self.url, audience: "example.quizzler", issuedAt: Int(now.timeIntervalSince1970),
            expiresAt: Int(now.timeIntervalSince1970) + 86_400, id: id,
            events: [try JSONDecoder().decode(NotificationEvent.self, from: Data(event.utf8))])
        return #"{"payload":"\#(try await sign(Payload(payload)))"}"#
    }

    private func respond(to request: WireRequest) async throws -> WireResponse {
        if state.withLock({ $0.isDown }) { throw LanyardClientError.transport("connection refused") }
        switch (request.url, request.method) {
        case (Self.url + "/auth/keys", .get):
            let (modulus, exponent) = try key.publicKey.getKeyPrimitives()
            return try Self.answer(
                JWKSet(keys: [JWK(rsaModulus: modulus.base64URL, exponent: exponent.base64URL, keyID: "k")]))
        case (Self.url + "/auth/token", .post(let form)):
            return try await token(Self.fields(form))
        default:
            return WireResponse(status: 404, body: Data())
        }
    }

    private func token(_ form: [String: String]) async throws -> WireResponse {
        let refused = WireResponse(status: 400, body: Data(#"{"error":"invalid_grant"}"#.utf8))
        if let refreshToken = form["refresh_token"] {
            let person = state.withLock { state in
                state.refreshes.append(refreshToken)
                return state.people[refreshToken]
            }
            guard let person else { return refused }
            return try Self.answer(
                TokenResponse(accessToken: "a", expiresIn: 3_600, idToken: try await identity(person, nonce: nil)))
        }
        let code = state.withLock { $0.codes.removeValue(forKey: form["code"] ?? "") }
        let challenge = Data(SHA256.hash(data: Data((form["code_verifier"] ?? "").utf8))).base64URL
        guard let code, code.challenge == challenge, code.redirectURI == form["redirect_uri"] else { return refused }
        let refreshToken = "r\(UInt64.random(in: 0 ..< .max))"
        let isMalicious = state.withLock { state in
            state.people[refreshToken] = code.person
            return state.isMalicious
        }
        let token = try await identity(code.person, nonce: isMalicious ? "another" : code.nonce)
        return try Self.answer(
            TokenResponse(accessToken: "a", expiresIn: 3_600, refreshToken: refreshToken, idToken: token))
    }

    private func identity(_ person: Person, nonce: String?) async throws -> String {
        let time = Int(now.timeIntervalSince1970)
        return try await sign(
            Claims(
                iss: Self.url, aud: "example.quizzler", sub: person.id, iat: time, exp: time + 86_400, nonce: nonce,
                email: person.email, org_id: person.organizationID))
    }

    private func sign(_ payload: some JWTPayload) async throws -> String {
        try await JWTKeyCollection().add(rsa: key, digestAlgorithm: .sha256).sign(payload, header: ["kid": "k"])
    }

    private static func answer(_ value: some Encodable) throws -> WireResponse {
        WireResponse(status: 200, body: try JSONEncoder().encode(value))
    }

    static func fields(_ text: String) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: text.split(separator: "&").map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1)
                return (String(parts[0]), parts.count > 1 ? String(parts[1]).removingPercentEncoding ?? "" : "")
            })
    }
}

private struct Claims: JWTPayload {
    let iss, aud, sub: String
    let iat, exp: Int
    let nonce, email, org_id: String?
    func verify(using algorithm: some JWTAlgorithm) {}
}

private struct Payload: JWTPayload {
    let payload: NotificationPayload
    init(_ payload: NotificationPayload) { self.payload = payload }
    init(from decoder: any Decoder) throws { payload = try NotificationPayload(from: decoder) }
    func encode(to encoder: any Encoder) throws { try payload.encode(to: encoder) }
    func verify(using algorithm: some JWTAlgorithm) {}
}

extension Data {
    fileprivate var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
