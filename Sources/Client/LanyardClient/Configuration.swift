import Foundation

extension LanyardClient {
    /// Who the app is and where the service is.
    public struct Configuration: Sendable {
        /// Where organizations share their data. Without a slash at the end: `authorize`, `token`, `revoke` and `keys`
        /// are below it.
        public var authorizationBaseURL: String
        /// Where people sign in. Without a slash at the end: `authorize`, `token`, `revoke`, `keys` and
        /// `credentialstate` are below it.
        public var signInBaseURL: String
        /// Without a slash at the end: `users`, `classes` and so on are below it.
        public var rosterBaseURL: String
        /// The app's client id: an App ID or a services ID.
        public var clientID: String
        /// The id of the developer team, ten characters: the `iss` of client secrets.
        public var teamID: String
        /// The id of the private key, ten characters: the `kid` of client secrets.
        public var keyID: String
        /// A P-256 key in PKCS #8, the file that the developer portal gave out once.
        public var privateKeyPEM: String
        /// The `iss` of identity tokens. Notifications may also carry `<issuer>/auth/oauth2/v2`.
        public var issuer: String
        /// The `aud` of client secrets.
        public var audience = "https://appleid.apple.com"
        /// The life of a client secret. The service refuses more than 15 777 000 s, about half a year.
        public var clientSecretLifetime = Duration.seconds(300)
        /// The allowed difference between the service's clock and ours when a token is verified.
        public var clockTolerance = Duration.seconds(60)
        /// The time limit for one request with its whole answer. `HTTPClient` keeps trying to connect for this long
        /// unless it is configured otherwise, so a server that is down is noticed only then.
        public var requestTimeout = Duration.seconds(30)
        /// How often failed reads are repeated.
        public var retryPolicy = RetryPolicy()

        /// All families of paths on one origin, as Lanyard serves them.
        /// - Parameters:
        ///   - baseURL: The origin, `https://lanyard.example`.
        ///   - issuer: The base URL itself unless given.
        public init(
            baseURL: String,
            clientID: String,
            teamID: String,
            keyID: String,
            privateKeyPEM: String,
            issuer: String? = nil
        ) {
            let origin = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
            authorizationBaseURL = origin + "/auth/oauth2/v2"
            signInBaseURL = origin + "/auth"
            rosterBaseURL = origin + "/rosterapi/v1"
            self.clientID = clientID
            self.teamID = teamID
            self.keyID = keyID
            self.privateKeyPEM = privateKeyPEM
            self.issuer = issuer ?? origin
        }
    }
}

extension LanyardClient.Configuration: CustomReflectable {
    /// Hides the private key, so that it does not get into a log.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "authorizationBaseURL": authorizationBaseURL, "signInBaseURL": signInBaseURL,
                "rosterBaseURL": rosterBaseURL, "clientID": clientID, "teamID": teamID, "keyID": keyID,
                "issuer": issuer,
            ],
            displayStyle: .struct)
    }
}
