import CommandOutput
import Foundation
import Ground

/// Gets and revokes access tokens for the API of a server. The calls are those of RFC 6749, 7009 and 8628.
struct TokenDoor: Sendable {
    let connection: ServerConnection

    struct Token: Decodable, Sendable {
        let accessToken: String
        /// In seconds.
        let expiresIn: Int
        let scope: String
        /// The id of the organization in which the token is valid; it is valid in no other.
        let organization: String
    }

    /// The codes with which a person allows the terminal to act in their name. RFC 8628 §3.2.
    struct Codes: Decodable, Sendable {
        let deviceCode: String
        let userCode: String
        let verificationUriComplete: String  // as the decoder spells the name
        /// Both in seconds.
        let expiresIn: Int
        let interval: Int?

        var verificationURIComplete: String { verificationUriComplete }
    }

    private struct Refusal: Decodable {
        let error: String
        let errorDescription: String?
    }

    /// A token for a program. RFC 6749 §4.4.
    /// - Throws: ``Failure``
    func token(clientID: String, secret: String, scope: String?) async throws -> Token {
        let answer = try await connection.post(
            "/api/v1/token",
            [
                FormField("grant_type", "client_credentials"), FormField("client_id", clientID),
                FormField("client_secret", secret),
            ] + [scope.map { FormField("scope", $0) }].compactMap(\.self))
        guard answer.status == 200 else { throw failure(answer) }
        return try decode(answer)
    }

    /// A token for a person, as soon as they have allowed it in a browser. RFC 8628.
    /// - Parameter show: called once, with the codes that the person needs for that.
    /// - Throws: ``Failure``
    func token(scope: String?, show: (Codes) -> Void) async throws -> Token {
        let begun = try await connection.post(
            "/api/v1/device_authorization",
            [FormField("client_name", "lanyard on \(ProcessInfo.processInfo.hostName)")]
                + [scope.map { FormField("scope", $0) }].compactMap(\.self))
        guard begun.status == 200 else { throw failure(begun) }
        let codes: Codes = try decode(begun)
        show(codes)
        var pause = codes.interval ?? 5
        while true {
            try await Task.sleep(for: .seconds(pause))
            let answer = try await connection.post(
                "/api/v1/token",
                [
                    FormField("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
                    FormField("device_code", codes.deviceCode),
                ])
            if answer.status == 200 { return try decode(answer) }
            switch try? Self.decoder.decode(Refusal.self, from: answer.body).error {
            case "authorization_pending": break
            case "slow_down": pause += 5
            case "access_denied": throw Failure("It was not allowed in the browser. Nothing was changed.")
            case "expired_token":
                throw Failure("Nobody allowed it within \(codes.expiresIn / 60) minutes. Run the command again.")
            default: throw failure(answer)
            }
        }
    }

    /// Revokes a token. RFC 7009.
    /// - Throws: ``Failure``
    func revoke(_ token: String) async throws {
        let answer = try await connection.post("/api/v1/revoke", [FormField("token", token)])
        guard answer.status == 200 else { throw failure(answer) }
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    private func decode<T: Decodable>(_ answer: ServerConnection.Answer) throws -> T {
        guard let value = try? Self.decoder.decode(T.self, from: answer.body) else {
            throw Failure("\(connection.server.text) does not answer as a Lanyard server does.")
        }
        return value
    }

    private func failure(_ answer: ServerConnection.Answer) -> Failure {
        guard let refusal = try? Self.decoder.decode(Refusal.self, from: answer.body) else {
            return Failure(
                "\(connection.server.text) has answered with status \(answer.status), and not as a Lanyard server does."
            )
        }
        return switch refusal.error {
        case "invalid_client":
            Failure("\(connection.server.text) knows no API client with this id and secret. It may be revoked.")
        case "invalid_scope":
            Failure(
                """
                \(connection.server.text) does not give what --privilege asks for: it is no privilege, or the API client \
                lacks it.
                """)
        default: Failure("\(connection.server.text) refuses: \(refusal.errorDescription ?? refusal.error).")
        }
    }
}
