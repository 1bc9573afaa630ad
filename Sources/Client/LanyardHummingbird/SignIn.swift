import Crypto
import Foundation
import Hummingbird
import LanyardAPI
import LanyardClient

/// Signs people in to an app on Hummingbird, with personal accounts and with those of a school or company.
///
/// ```swift
/// let router = Router(context: BasicSignInContext.self)
/// let signIn = try SignIn(client: client, publicURL: "https://quizzler.example", secret: secret)
/// signIn.mount(on: router)
/// router.group().add(middleware: signIn.required()).get("/") { _, context in
///     "Hello, \(try context.requirePerson().name ?? "you")"
/// }
/// ```
///
/// The first three lines add these, below `Configuration.path`:
///
/// | request | what it does |
/// |---|---|
/// | `GET /sign-in?return_to=/page` | sends the browser to the service |
/// | `GET` and `POST /sign-in/callback` | where it comes back; register it as a return URL |
/// | `POST /sign-in/out` | signs out in this browser, for a button in a form |
/// | `POST /sign-in/notifications` | where the service says that somebody has stopped using the app; register it too |
///
/// In every route that is added after `mount`, `context.person` is the signed-in person with `id`, `name`, `email` and
/// `account`, or nil. Behind `required()` it is never nil. A context of your own conforms to `SignInContext`.
///
/// The session is in an encrypted cookie, or in a `SessionStore`. It ends after `lifetime`, and when the person stops
/// using the app or their organization no longer allows it: at once by a notification, and otherwise by a daily check.
/// The service sends a person's name only once, so set `Configuration.names` to store it.
public struct SignIn: Sendable {
    public struct Configuration: Sendable {
        /// What to learn about people.
        public var scopes: [Scope] = [.name, .email]
        /// Where the routes are.
        public var path = "/sign-in"
        /// Where people go after they have signed out or canceled a sign-in.
        public var homePath = "/"
        /// How long a person stays signed in.
        public var lifetime = Duration.seconds(30 * 86_400)
        /// Nil if each browser keeps its own session in an encrypted cookie.
        public var sessions: (any SessionStore)?
        /// Where people's names are stored. The default forgets them when the program ends.
        public var names: any NameStore = MemoryNameStore()
        /// Called when a person has signed in, before they see a page, for example to create their account in the app.
        /// If it throws, the person is not signed in.
        public var onSignIn: @Sendable (SignedInPerson) async throws -> Void = { _ in }
        /// Called once for each event of a notification, after sessions were ended. `change` says what has happened,
        /// and `time`, which is never nil here, when. Events can be days old: a person who signed in later has come
        /// back since. If it throws, the service repeats the notification.
        public var onChange: @Sendable (NotificationEvent) async throws -> Void = { _ in }
    }

    let client: LanyardClient
    let publicURL: String
    let configuration: Configuration
    let keeper: SessionKeeper
    let trips: Trips
    let seen = SeenNotifications()

    /// - Parameters:
    ///   - publicURL: the origin by which browsers reach the app: https, or http on this machine.
    ///   - secret: 32 random bytes or more, the same in each process of the app. Anybody who knows it can sign in as
    ///     anyone.
    /// - Throws: `SignInConfigurationError`
    public init(
        client: LanyardClient,
        publicURL: String,
        secret: Data,
        configure: (inout Configuration) -> Void = { _ in }
    ) throws {
        guard secret.count >= 32 else { throw SignInConfigurationError.shortSecret }
        guard let origin = PublicURL(publicURL) else { throw SignInConfigurationError.publicURL(publicURL) }
        var configuration = Configuration()
        configure(&configuration)
        self.client = client
        self.publicURL = origin.text
        self.configuration = configuration
        let key = SymmetricKey(data: secret)
        let cookies = SignInCookies(isSecure: origin.isSecure)
        keeper = SessionKeeper(
            client: client, store: configuration.sessions, seal: Seal(secret: key, purpose: "session"),
            cookies: cookies, lifetime: configuration.lifetime.timeInterval)
        trips = Trips(seal: Seal(secret: key, purpose: "trip"), cookies: cookies, now: client.now)
    }

    /// Adds the routes, and the middleware that sets `context.person` for all routes added later.
    public func mount<Context: SignInContext>(on router: Router<Context>) {
        router.add(middleware: SessionMiddleware<Context>(keeper: keeper))
        SignInRoutes(signIn: self).mount(on: router)
        NotificationRoutes(signIn: self).mount(on: router)
    }

    /// Refuses requests of people who are not signed in: a request for a page leads to the sign-in and back to the
    /// page, everything else is answered with 401.
    public func required<Context: SignInContext>(in context: Context.Type = Context.self) -> RequireSignIn<Context> {
        RequireSignIn(path: configuration.path)
    }

    var redirectURI: String { publicURL + configuration.path + "/callback" }
}

/// Why sign-in cannot work with this configuration.
public enum SignInConfigurationError: Error, Equatable, CustomStringConvertible {
    case shortSecret
    case publicURL(String)

    public var description: String {
        switch self {
        case .shortSecret:
            "The secret needs 32 random bytes at least."
        case .publicURL(let url):
            "\(url) is no https://host, nor http:// with 127.0.0.1, [::1] or localhost; it has no path."
        }
    }
}

extension Duration {
    var timeInterval: TimeInterval { Double(components.seconds) }
}
