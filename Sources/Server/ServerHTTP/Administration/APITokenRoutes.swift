import Administration
import Authorization
import Directory
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import LanyardAPI

/// How programs and terminals get an access token for the administration API, and revoke it.
struct APITokenRoutes: Sendable {
    static let paths: Set = ["/api/v1/token", "/api/v1/device_authorization", "/api/v1/revoke"]

    let tokens: APITokens
    let terminals: TerminalSignIns
    let baseURL: String

    func mount(on router: some RouterMethods<AppContext>) {
        router.post("api/v1/token", use: token)
        router.post("api/v1/device_authorization", use: authorizeTerminal)
        router.post("api/v1/revoke", use: revoke)
    }

    @Sendable private func token(_ request: Request, context: AppContext) async throws -> Response {
        let form = try await request.formParameters(context)
        try form.requireNoRepeats()
        switch try form["grant_type"] {
        case "client_credentials": return try await tokenOfClient(request, form, context)
        case "urn:ietf:params:oauth:grant-type:device_code": return try await tokenOfTerminal(form)
        case nil: throw OAuthError(.invalidRequest, "grant_type is missing")
        case .some:
            throw OAuthError(.unsupportedGrantType, "grant_type is neither client_credentials nor device_code")
        }
    }

    /// A token in exchange for client id and secret, which are in the header or in the form. RFC 6749 §4.4.
    private func tokenOfClient(
        _ request: Request, _ form: RequestParameters, _ context: AppContext
    ) async throws -> Response {
        let header = try request.basicCredentials()
        guard let clientID = try header?.clientID ?? form["client_id"],
            let secret = try header?.secret ?? form["client_secret"]
        else { throw OAuthError(.invalidClient, "there is no client id with its secret") }
        do {
            return try Self.answer(
                try await tokens.issue(
                    clientID: clientID, secret: secret, scope: try form["scope"], from: .request(context)))
        } catch APITokens.Refusal.invalidClient {
            throw OAuthError(.invalidClient, "no API client has this id and secret")
        } catch APITokens.Refusal.invalidScope {
            throw OAuthError(.invalidScope, "the scope has a privilege that the client has not")
        }
    }

    /// A token in exchange for the device code that a terminal has got before. RFC 8628 §3.4.
    private func tokenOfTerminal(_ form: RequestParameters) async throws -> Response {
        guard let code = try form["device_code"] else { throw OAuthError(.invalidRequest, "device_code is missing") }
        do {
            return try Self.answer(try await terminals.redeem(deviceCode: code))
        } catch let refusal as TerminalSignIns.Refusal {
            throw OAuthError(refusal)
        }
    }

    /// Begins a sign-in at a terminal. The client needs no registration: it is the same for every installation. RFC
    /// 8628 §3.1.
    @Sendable private func authorizeTerminal(_ request: Request, context: AppContext) async throws -> Response {
        let form = try await request.formParameters(context)
        try form.requireNoRepeats()
        do {
            let codes = try await terminals.begin(
                program: try form["client_name"] ?? "", scope: try form["scope"], address: context.remoteAddress)
            return try .json(
                DeviceAuthorizationResponse(
                    deviceCode: codes.deviceCode, userCode: codes.userCode,
                    verificationURI: "\(baseURL)/device",
                    verificationURIComplete: "\(baseURL)/device?user_code=\(codes.userCode)",
                    expiresIn: Int(TerminalSignIn.lifetime), interval: TerminalSignIn.pause))
        } catch APITokens.Refusal.invalidScope {
            throw OAuthError(.invalidScope, "the scope has a word that is no privilege")
        }
    }

    /// Revokes a token. Unknown tokens are no error. RFC 7009 §2.2.
    @Sendable private func revoke(_ request: Request, context: AppContext) async throws -> Response {
        let form = try await request.formParameters(context)
        try form.requireNoRepeats()
        guard let token = try form["token"] else { throw OAuthError(.invalidRequest, "token is missing") }
        try await terminals.revoke(token)
        return Response(status: .ok)
    }

    private static func answer(_ issued: APITokens.Issued) throws -> Response {
        var response = try Response.json(
            TokenAnswer(
                accessToken: issued.token, expiresIn: issued.lifetime, scope: issued.scope,
                organization: issued.organization))
        response.headers[.cacheControl] = "no-store"
        return response
    }
}

private struct TokenAnswer: Encodable {
    let accessToken: String
    let tokenType = "Bearer"
    let expiresIn: Int
    let scope: String
    /// The id of the organization in which the token is valid; it is valid in no other.
    let organization: String

    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case scope
        case organization
    }
}

extension OAuthError {
    fileprivate init(_ refusal: TerminalSignIns.Refusal) {
        self =
            switch refusal {
            case .pending: OAuthError(.authorizationPending, "nobody has decided yet")
            case .slowDown: OAuthError(.slowDown, "it was asked too early")
            case .denied: OAuthError(.accessDenied, "the person has refused")
            case .expired: OAuthError(.expiredToken, "the device code has expired")
            case .unknown: OAuthError(.invalidGrant, "there is no such device code")
            }
    }
}
