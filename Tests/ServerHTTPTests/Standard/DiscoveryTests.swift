import Fixtures
import Testing

@testable import TestServers

@Suite struct DiscoveryTests {
    @Test("the standard discovery document is this one, and has nothing besides")
    func whole() async throws {
        try await TestServer.with { server in
            let issuer = "\(TestServer.baseURL)/oidc"
            let methods = ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"]
            let expected: [String: Any] = [
                "issuer": issuer, "authorization_endpoint": "\(issuer)/authorize", "token_endpoint": "\(issuer)/token",
                "userinfo_endpoint": "\(issuer)/userinfo", "revocation_endpoint": "\(issuer)/revoke",
                "end_session_endpoint": "\(issuer)/logout", "jwks_uri": "\(issuer)/keys",
                "device_authorization_endpoint": "\(issuer)/device_authorization",
                "scopes_supported": ["openid", "profile", "email", "organization", "roles", "offline_access"],
                "claims_supported": [
                    "sub", "iss", "aud", "exp", "iat", "auth_time", "nonce", "sid", "acr", "amr", "at_hash", "name",
                    "given_name", "family_name", "preferred_username", "updated_at", "locale", "email",
                    "email_verified", "is_private_email", "org_id", "roles", "grade",
                ],
                "response_types_supported": ["code"],
                "response_modes_supported": ["query", "fragment", "form_post"],
                "grant_types_supported": [
                    "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code",
                ],
                "subject_types_supported": ["pairwise"],
                "id_token_signing_alg_values_supported": ["RS256", "ES256"],
                "token_endpoint_auth_methods_supported": methods,
                "token_endpoint_auth_signing_alg_values_supported": ["ES256"],
                "revocation_endpoint_auth_methods_supported": methods,
                "revocation_endpoint_auth_signing_alg_values_supported": ["ES256"],
                "code_challenge_methods_supported": ["S256"],
                "prompt_values_supported": ["none", "login", "consent", "select_account"],
                "acr_values_supported": ["urn:lanyard:acr:password", "urn:lanyard:acr:device-key"],
                "ui_locales_supported": ["en", "ja", "ko"],
                "authorization_response_iss_parameter_supported": true,
                "backchannel_logout_supported": true, "backchannel_logout_session_supported": true,
                "claims_parameter_supported": true, "request_parameter_supported": false,
                "request_uri_parameter_supported": false,
            ]
            let document = try await server.browser().get("/oidc/.well-known/openid-configuration").json
            #expect(canonical(document) == canonical(expected))
        }
    }
}
