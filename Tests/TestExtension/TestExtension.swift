import Foundation
import SingleSignOnExtension
import SingleSignOnWire

/// An extension that does what the last part of the request's path says, well or badly.
@main
struct TestExtension: AuthorizationExtension {
    private static let form = PresentationForm(
        title: "Sign in to id.acme.test", text: "With the account of your school.",
        fields: [
            .init("user", label: "User name", value: "mika"), .init("password", label: "Password", kind: .password),
            .init("remember", label: "Keep me signed in", kind: .checkbox, value: "true"),
        ])

    func beginAuthorization(with request: ASAuthorizationProviderExtensionAuthorizationRequest) {
        if request.requestedOperation.rawValue == "configurationRemoved" {
            FileHandle.standardError.write(Data("removed \(request.url.absoluteString)\n".utf8))
            return request.complete()
        }
        if request.requestedOperation == .wake {
            let reason = request.authorizationOptions["reason"]?.text ?? "nothing"
            FileHandle.standardError.write(Data("woken by \(reason), realm \(request.realm)\n".utf8))
            guard let seconds = request.extensionData["wakeSeconds"]?.number else { return request.complete() }
            Task {
                try? await Task.sleep(for: .seconds(seconds))
                request.complete()
            }
            return
        }
        switch request.url.lastPathComponent {
        case "page": page(request, body: "<p>hello</p>")
        case "echo": echo(request)
        case "form":
            page(
                request,
                body: """
                    <form method="post" action="\(request.url.query ?? "")"><input name="SAMLResponse" \
                    value="&lt;b&gt;"></form>
                    """)
        case "redirect": redirect(request, to: request.url.query ?? "https://app.acme.test/")
        case "login": signIn(request)
        case "web": webPage(request)
        case "show-and-answer":
            Task { _ = try? await request.present(Self.form) }
            Task { page(request, body: "<p>answered</p>") }
        case "show-twice":
            Task { _ = try? await request.present(Self.form) }
            Task {
                try? await Task.sleep(for: .milliseconds(200))
                do {
                    _ = try await request.present(Self.form)
                } catch {
                    page(request, body: "\(error)")
                }
            }
        case "decline": request.doNotHandle()
        case "cancel": request.cancel()
        case "empty": request.complete()
        case "headers": request.complete(httpAuthorizationHeaders: ["Authorization": "Test \(request.realm)"])
        case "fail":
            request.complete(
                error: AuthorizationFailure(
                    domain: "TestDomain", code: -6000, message: "It failed.", userInfo: ["hint": "on purpose"],
                    underlying: AuthorizationFailure(.unknown, "The cause.")))
        case "twice":
            page(request, body: "<p>first</p>")
            page(request, body: "<p>second</p>")
        case "never": break
        case "wait":
            Task {
                try? await Task.sleep(for: .seconds(Int(request.url.query ?? "") ?? 1))
                page(request, body: "<p>waited</p>")
            }
        case "large": page(request, body: String(repeating: "a", count: 200_000))
        case "huge": page(request, body: String(repeating: "a", count: 10_000_000))
        case "other-origin":
            request.complete(httpResponse: ASHTTPResponse(url: URL(string: "https://evil.test/")!, statusCode: 200))
        case "status":
            request.complete(
                httpResponse: ASHTTPResponse(url: request.url, statusCode: Int(request.url.query ?? "") ?? 500))
        case "split":
            request.complete(
                httpResponse: ASHTTPResponse(
                    url: request.url, statusCode: 200, headerFields: [.init("X-Test", "a\r\nSet-Cookie: b=c")]))
        case "crash": abort()
        case "exit": exit(3)
        case "flood":
            for number in 0..<200_000 { FileHandle.standardError.write(Data("line \(number) of a flood\n".utf8)) }
            page(request, body: "<p>flooded</p>")
        case "count": count(request)
        case "wake":
            // `?SECONDS`, `?SECONDS,network`, or `?` for nothing any more.
            let words = (request.url.query ?? "").split(separator: ",")
            request.wakeExtension(
                at: words.first.flatMap { Double($0) }.map { Date(timeIntervalSinceNow: $0) },
                onNetworkChange: words.contains("network"))
            page(request, body: "<p>named</p>")
        case "open":
            let folder = "/proc/self/fd"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            let targets = names.sorted().compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
            }
            page(request, body: targets.joined(separator: " "))
        default: request.doNotHandle()
        }
    }

    func cancelAuthorization(with request: ASAuthorizationProviderExtensionAuthorizationRequest) {
        FileHandle.standardError.write(Data("canceled \(request.url.absoluteString)\n".utf8))
    }

    private func page(_ request: ASAuthorizationProviderExtensionAuthorizationRequest, body: String) {
        request.complete(
            httpResponse: ASHTTPResponse(
                url: request.url, statusCode: 200,
                headerFields: [.init("Content-Type", "text/html"), .init("Set-Cookie", "session=1; Path=/")]),
            httpBody: Data(body.utf8))
    }

    private func redirect(_ request: ASAuthorizationProviderExtensionAuthorizationRequest, to location: String) {
        request.complete(
            httpResponse: ASHTTPResponse(
                url: request.url, statusCode: 302,
                headerFields: [.init("Location", location), .init("Set-Cookie", "session=2; Path=/")]))
    }

    /// All that it knows about the request.
    private func echo(_ request: ASAuthorizationProviderExtensionAuthorizationRequest) {
        struct Echo: Encodable {
            var url: String
            var operation: String
            var headers: [HeaderField]
            var body: Data
            var realm: String
            var extensionData: [String: PropertyListValue]
            var options: [String: PropertyListValue]
            var caller: String
            var team: String
            var name: String
            var isManaged: Bool
            var isUserInterfaceEnabled: Bool
            var isChallenge: Bool
            var folder: String
        }
        let echo = Echo(
            url: request.url.absoluteString, operation: request.requestedOperation.rawValue,
            headers: request.httpHeaderFields, body: request.httpBody, realm: request.realm,
            extensionData: request.extensionData, options: request.authorizationOptions,
            caller: request.callerBundleIdentifier, team: request.callerTeamIdentifier,
            name: request.localizedCallerDisplayName, isManaged: request.isCallerManaged,
            isUserInterfaceEnabled: request.isUserInterfaceEnabled, isChallenge: request.isChallenge,
            folder: request.callerData.path)
        let text = (try? JSONEncoder().encode(echo)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        if request.isChallenge {
            request.complete(httpAuthorizationHeaders: ["X-Echo": text])
        } else {
            page(request, body: text)
        }
    }

    /// Asks once, and remembers for all callers.
    private func signIn(_ request: ASAuthorizationProviderExtensionAuthorizationRequest) {
        Task {
            if let user = ExtensionFolder.shared.read("user") {
                return page(request, body: "\(String(decoding: user, as: UTF8.self)) silently")
            }
            do {
                var form = Self.form
                while true {
                    guard let values = try await request.present(form) else { return request.cancel() }
                    if values["password"] == "secret" {
                        let user = values["user"] ?? ""
                        try ExtensionFolder.shared.write(Data(user.utf8), to: "user")
                        return page(request, body: "\(user) asked \(values["remember"] ?? "no")")
                    }
                    form.problem = "That password is wrong."
                }
            } catch {
                request.complete(error: error)
            }
        }
    }

    private func webPage(_ request: ASAuthorizationProviderExtensionAuthorizationRequest) {
        Task {
            do {
                let page = URL(string: request.url.query ?? "")
                let url = try await request.presentWebPage { returnURL in
                    var components = URLComponents(url: page ?? returnURL, resolvingAgainstBaseURL: false)!
                    components.queryItems =
                        (components.queryItems ?? []) + [.init(name: "redirect_uri", value: returnURL.absoluteString)]
                    return components.url!
                }
                guard let url else { return request.cancel() }
                self.page(request, body: url.query ?? "")
            } catch {
                request.complete(error: error)
            }
        }
    }

    /// How often this caller has asked, and everybody.
    private func count(_ request: ASAuthorizationProviderExtensionAuthorizationRequest) {
        do {
            var counts: [Int] = []
            for folder in [request.callerData, ExtensionFolder.shared] {
                let count = folder.read("count").flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
                try folder.write(Data("\(count + 1)".utf8), to: "count")
                counts.append(count + 1)
            }
            page(request, body: "\(counts[0]) of \(counts[1]) in \(getpid())")
        } catch {
            request.complete(error: error)
        }
    }
}
