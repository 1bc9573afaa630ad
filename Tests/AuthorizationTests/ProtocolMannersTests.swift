import Foundation
import Testing
@testable import Authorization

/// What differs between the profiles, as clients know it: a change here is a change for them.
@Suite struct ProtocolMannersTests {
    /// - Parameter values: those of the roster, compatible and standard profile, in this order.
    private func expect<Value: Equatable>(
        _ manner: KeyPath<ProtocolManners, Value>, _ values: Value..., location: SourceLocation = #_sourceLocation
    ) {
        let profiles: [Profile] = [.roster, .compatible, .standard]
        #expect(profiles.map { $0.manners[keyPath: manner] } == values, sourceLocation: location)
    }

    @Test("each manner of each profile is what its clients know")
    func table() {
        // swift-format-ignore
        do {
            //                                        roster             compatible                   standard
            expect(\.organizationConsents,            true,              false,                       false)
            expect(\.devicesMaySignIn,                false,             true,                        true)
            expect(\.alwaysShowsPage,                 false,             true,                        false)
            expect(\.languageParameter,               nil,               "locale",                    "ui_locales")
            expect(\.needsScope,                      true,              false,                       false)
            expect(\.registeredScopes.text,
                "edu.classes.read edu.rosterapi.test.read edu.users.read", "email name",        "email name roles")
            expect(\.commonScopes.text,               "",                "", "offline_access openid organization")
            expect(\.answersNameIssuer,               false,             false,                       true)
            expect(\.answersCarryUser,                false,             true,                        false)
            expect(\.cancelledError,                  "access_denied",   "user_cancelled_authorize",  "access_denied")
            expect(\.describesErrors,                 false,             true,                        true)
            expect(\.unknownClientsGet401,            false,             false,                       true)
            expect(\.wrongRedirectURI,                .invalidClient,    .invalidGrant,               .invalidGrant)
            expect(\.otherCodeParameter,              "grant_code",      nil,                         nil)
            expect(\.nativeAppsMayOmitRedirectURI,    false,             true,                        false)
            expect(\.handsPeopleOver,                 false,             true,                        false)
            expect(\.hasDeviceGrant,                  false,             false,                       true)
            expect(\.rotatesRefreshTokens,            false,             false,                       true)
            expect(\.refreshTokensNeedScope,          false,             false,                       true)
            expect(\.answersTellScopes,               false,             false,                       true)
            expect(\.ignoresUnknownTokenTypes,        false,             false,                       true)
            expect(\.revocationEndsUse,               false,             true,                        false)
            expect(\.followsSessions,                 false,             false,                       true)
            expect(\.hasStandardIssuer,               false,             false,                       true)
            expect(\.clientsChooseAlgorithm,          false,             false,                       true)
            expect(\.identityTokenLifetime,           3_600,             86_400,                      3_600)
            expect(\.tokensNameOrganization,          true,              true,                        false)
            expect(\.repeatsWhatWasShared,            false,             true,                        false)
            expect(\.flagsMayBeText,                  false,             true,                        false)
            expect(\.tellsRealUserStatus,             false,             true,                        false)
            expect(\.tellsRosterScopes,               false,             true,                        false)
            expect(\.tellsUserNames,                  false,             false,                       true)
        }
    }

    @Test("the table above has every manner")
    func complete() {
        #expect(Mirror(reflecting: Profile.roster.manners).children.count == 32)
    }

    @Test("a refresh token is given where a profile asks no scope for it, or the scope was granted")
    func refreshTokens() {
        for scopes in [ScopeSet([]), ScopeSet([.openID, .name])] {
            #expect(Profile.roster.manners.givesRefreshToken(for: scopes))
            #expect(Profile.compatible.manners.givesRefreshToken(for: scopes))
            #expect(!Profile.standard.manners.givesRefreshToken(for: scopes))
        }
        #expect(Profile.standard.manners.givesRefreshToken(for: ScopeSet([.openID, .offlineAccess])))
    }

    @Test("the standard profile has an issuer of its own, the others that of the server")
    func issuers() {
        let issuers = TokenService.Issuers(compatible: "https://id.example", standard: "https://id.example/oidc")
        #expect(issuers.of(.roster) == "https://id.example")
        #expect(issuers.of(.compatible) == "https://id.example")
        #expect(issuers.of(.standard) == "https://id.example/oidc")
    }
}
