import Administration
import ServerPages

/// What a developer copies into the own program, with the own identifiers filled in.
package struct SnippetsPage: PortalPage {
    package let portal: Portal
    package let app: AppRecord
    /// The address of this server, without a slash at its end.
    package let baseURL: String
    /// The `aud` of client secrets.
    package let issuer: String

    package init(portal: Portal, app: AppRecord, baseURL: String, issuer: String) {
        self.portal = portal
        self.app = app
        self.baseURL = baseURL
        self.issuer = issuer
    }

    package var section: PortalSection? { .apps }
    package var heading: Sentence { Sentence("portalSnippets.heading") }
    package var lead: Sentence? { Sentence("portalSnippets.lead") }
    package var parent: ConsoleLink? {
        ConsoleLink(.named(app.name), to: portal.path(of: app))
    }

    private var returnURL: String { app.returnURLs.first ?? "https://app.example/callback" }

    package var parts: [Part] {
        [
            .heading(Sentence("portalSnippets.page"), Sentence("portalSnippets.pageLead")), .code(page),
            .heading(Sentence("portalSnippets.secret"), Sentence("portalSnippets.secretLead")), .code(secret),
            .heading(Sentence("portalSnippets.token"), Sentence("portalSnippets.tokenLead")),
            .code(TokenSnippet(baseURL: baseURL, clientID: app.primaryID, returnURL: returnURL).text),
            .heading(Sentence("portalSnippets.swift"), Sentence("portalSnippets.swiftLead")),
            .code(
                SwiftSnippet(baseURL: baseURL, clientID: app.primaryID, teamID: app.teamID, returnURL: returnURL).text),
            .heading(Sentence("portalSnippets.roster"), Sentence("portalSnippets.rosterLead")), .code(roster),
        ]
    }

    private var page: String {
        """
        <script src="\(baseURL)/lanyard.js"></script>
        <div id="appleid-signin"></div>
        <script>
        AppleID.auth.init({
            clientId: "\(app.primaryID)",
            scope: "name email",
            redirectURI: "\(returnURL)",
            usePopup: true
        })
        </script>
        """
    }

    private var secret: String {
        """
        # pip install "pyjwt[crypto]"
        import jwt, time
        print(jwt.encode(
            {"iss": "\(app.teamID)", "sub": "\(app.primaryID)", "aud": "\(issuer)",
             "iat": int(time.time()), "exp": int(time.time()) + 300},
            open("key.p8").read(), algorithm="ES256", headers={"kid": "KEY_ID"}))
        """
    }

    private var roster: String {
        """
        curl "\(baseURL)/rosterapi/v1/users?limit=10&role=student" -H "Authorization: Bearer $ACCESS_TOKEN"
        """
    }
}

/// The exchange of a code in a shell. A test runs it.
struct TokenSnippet {
    let baseURL: String
    let clientID: String
    let returnURL: String

    var text: String {
        """
        curl \(word("\(baseURL)/auth/token")) \\
            -d client_id=\(clientID) -d client_secret="$SECRET" \\
            -d grant_type=authorization_code -d code="$CODE" \\
            --data-urlencode \(word("redirect_uri=\(returnURL)"))
        """
    }

    /// A text as one word of a shell, to which the signs of a query mean something.
    private func word(_ text: String) -> String { "'" + text.replacing("'", with: #"'\''"#) + "'" }
}

/// All steps of a sign-in on a server in Swift. A test compiles and runs it.
struct SwiftSnippet {
    let baseURL: String
    let clientID: String
    let teamID: String
    let returnURL: String

    var text: String {
        """
        import Foundation
        import LanyardClient

        let privateKey = try String(contentsOfFile: "key.p8", encoding: .utf8)
        let client = try LanyardClient(
            configuration: .init(
                baseURL: "\(baseURL)",
                clientID: "\(clientID)",
                teamID: "\(teamID)",
                keyID: "KEY_ID",
                privateKeyPEM: privateKey))
        let attempt = AuthorizationAttempt.random()  // keep it with this browser, for an hour
        let url = client.signIn.authorizationURL(
            redirectURI: "\(returnURL)",
            scopes: [.name, .email],
            attempt: attempt)
        // Send the browser to url. It comes back with a form:
        let answer = try AuthorizationAnswer(form, state: attempt.state)
        let person = try await client.signIn.finish(
            answer,
            attempt: attempt,
            redirectURI: "\(returnURL)")
        print(person.identity.subject)
        """
    }
}
