import Crypto
import Foundation
import Hummingbird
import HummingbirdTesting
import LanyardAPI
import LanyardClient
import LanyardHummingbird
import Testing

/// What the guide shows is what is compiled here, line by line.
@Suite struct GuideTests {
    @Test(
        "the code in the guide and at the top of SignIn is code that works",
        arguments: [
            "docs/sign-in-with-swift.md", "Sources/Client/LanyardHummingbird/SignIn.swift",
            "Sources/Client/LanyardClient/NativeSignIn/LanyardIDProvider.swift",
            "Sources/Client/LanyardClient/SignIn/SignInClient.swift",
        ])
    func guide(file: String) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let compiled = Set(try Self.lines(of: URL(fileURLWithPath: #filePath)))
        var isCode = false
        for line in try Self.lines(of: root.appendingPathComponent(file)) {
            if line.hasPrefix("```") {
                isCode = line == "```swift"
            } else if isCode, !line.isEmpty, !line.hasPrefix("."), !line.hasPrefix("…"), !line.hasPrefix("//") {
                #expect(compiled.contains(line), "\(line)")
            }
        }
    }

    private static func lines(of file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            var line = line.drop { $0 == " " }
            if line.hasPrefix("/// ") { line = line.dropFirst(4).drop { $0 == " " } }
            return String(line)
        }
    }

    @Test("three lines are an app that signs people in")
    func threeLines() async throws {
        let service = try FakeLanyard()
        let client = try service.client()
        let secret = Data(repeating: 7, count: 32)

        let router = Router(context: BasicSignInContext.self)
        let signIn = try SignIn(client: client, publicURL: "https://quizzler.example", secret: secret)
        signIn.mount(on: router)
        router.group().add(middleware: signIn.required()).get("/") { _, context in
            "Hello, \(try context.requirePerson().name ?? "you")"
        }

        try await Application(router: router).test(.router) { client in
            let browser = TestBrowser(client)
            #expect(try await browser.get("/").location == "/sign-in?return_to=%2F")
            try await browser.signIn(service, as: FakeLanyard.pupil)
            try await browser.expect("/", "Hello, Fatima Silva")
        }
    }

    @Test("an app with a context and people of its own")
    func ownPeople() async throws {
        let service = try FakeLanyard()
        let client = try service.client()
        let secret = Data(repeating: 7, count: 32)
        let people = People()

        let router = Router(context: OwnContext.self)
        let signIn = try SignIn(client: client, publicURL: "https://quizzler.example", secret: secret) {
            $0.names = people
            $0.onSignIn = { person in try await people.welcome(person) }
            $0.onChange = { event in
                if case .accountDeleted(let personID) = event.change { try await people.delete(personID) }
            }
        }
        signIn.mount(on: router)

        try await Application(router: router).test(.router) { client in
            let browser = TestBrowser(client)
            try await browser.signIn(service, as: FakeLanyard.parent)
            #expect(await people.ids == ["p1"])
            let body = try await service.notification(#"{"type":"account-delete","sub":"p1"}"#, id: "j1")
            _ = try await browser.post("/sign-in/notifications", body)
            #expect(await people.ids.isEmpty)
        }
    }

    private struct OwnContext: SignInContext {
        var coreContext: CoreRequestContextStorage
        var person: SignedInPerson?
        var quiz: String?

        init(source: ApplicationRequestContextSource) {
            coreContext = CoreRequestContextStorage(source: source)
        }
    }

    private actor People: NameStore {
        private(set) var ids: Set<String> = []
        private var names: [String: PersonName] = [:]

        func welcome(_ person: SignedInPerson) throws { ids.insert(person.id) }
        func delete(_ personID: String) throws { ids.remove(personID) }
        func name(ofPerson id: String) -> PersonName? { names[id] }
        func keep(_ name: PersonName, ofPerson id: String) { names[id] = name }
        func forget(person id: String) { names[id] = nil }
    }
}

/// The parts of the guide that need a real service; compiled, and tried elsewhere.
private func wholeApp(teamID: String, keyID: String, privateKeyPEM: String, secret: Data) throws {
    let configuration = LanyardClient.Configuration(
        baseURL: "https://lanyard.example", clientID: "example.quizzler.web", teamID: teamID, keyID: keyID,
        privateKeyPEM: privateKeyPEM)
    let router = Router(context: BasicSignInContext.self)

    let signIn = try SignIn(
        client: LanyardClient(configuration: configuration), publicURL: "https://quizzler.example", secret: secret)
    signIn.mount(on: router)
    router.group().add(middleware: signIn.required()).get("/") { _, context in
        "Hello, \(try context.requirePerson().name ?? "you")"
    }
}

private func otherServer(client: LanyardClient, callback: String, body: String) async throws {
    let attempt = AuthorizationAttempt.random()  // keep it with this browser, for an hour
    let url = client.signIn.authorizationURL(redirectURI: callback, scopes: [.name, .email], attempt: attempt)
    // Send the browser to url. It comes back with a form:
    let answer = try AuthorizationAnswer(body, state: attempt.state)
    let person = try await client.signIn.finish(answer, attempt: attempt, redirectURI: callback)
    _ = (url, person)
}

private func commandLine(nonce: String) async throws {
    let provider = LanyardIDProvider(
        configuration: .init(baseURL: "https://lanyard.example", clientID: "example.quizzler"))
    var request = provider.createRequest()
    request.requestedScopes = [.fullName, .email]
    request.nonce = nonce  // from your server
    let authorization: LanyardAuthorization = try await LanyardAuthorizationController(
        authorizationRequests: [request]
    ).performRequests()
    _ = authorization
}

private func withoutServer(keychain: Keychain) async throws {
    let openID = OpenIDClient(configuration: .init(baseURL: "https://lanyard.example", clientID: "example.quizzler"))
    let person = try await openID.signIn(scopes: [.profile, .email, .offlineAccess])
    let refreshToken = KeptRefreshToken(person.tokens.refreshToken!)
    try await keychain.keep(refreshToken)
    let session = OpenIDSession(
        client: openID, refreshToken: refreshToken, accessToken: person.tokens.accessToken
    ) { refreshToken in try await keychain.keep(refreshToken) }
    _ = session
}

private actor Keychain {
    func keep(_ refreshToken: KeptRefreshToken) throws {}
}

private actor Sessions {
    func end(_ sessionID: String?, of subject: String?) throws {}
}

private func hear(logout body: String, openID: OpenIDClient, sessions: Sessions) async throws {
    let logout = try await openID.verify(logout: body)  // throws: answer 400
    try await sessions.end(logout.sessionID, of: logout.subject)  // then answer 200
}
