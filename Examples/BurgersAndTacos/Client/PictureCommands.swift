import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import SingleSignOnClient

struct BurgerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "burger", abstract: "Load the protected burger.")

    @OptionGroup var order: Order

    func run() async throws { try await order.serve(.burger) }
}

struct TacosCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "tacos", abstract: "Load the protected tacos.")

    @OptionGroup var order: Order

    func run() async throws { try await order.serve(.tacos) }
}

struct SignOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "Forget the sign-in of this device, for everybody who uses it.")

    @OptionGroup var settings: ClientSettings

    func run() async throws {
        try await SignIn(settings: try settings.read()).signOut()
        print("Signed out of this device: the next program is asked. A page that greets you keeps its own session.")
    }
}

/// Shows one picture in the terminal, or writes it to a file.
struct Order: ParsableArguments {
    @OptionGroup var settings: ClientSettings

    @Option(help: "Save the drawing (SVG) in this file instead of showing it.", completion: .file())
    var out: String?

    func serve(_ picture: Picture) async throws {
        let settings = try settings.read()
        let signIn = SignIn(settings: settings)
        var tokens = try await signIn.tokens()
        var answer = try await load(picture, settings, tokens)
        if answer.status == 401 {
            // The token was revoked meanwhile; try once more with a new one.
            tokens = try await signIn.tokens(inPlaceOf: tokens.access)
            answer = try await load(picture, settings, tokens)
        }
        guard answer.status == 200 else {
            throw ValidationError("\(settings.site) answers with status \(answer.status): \(answer.text)")
        }
        say(tokens.wasInteractive ? "You signed in." : "Nobody was asked: the device has signed you in already.")
        guard let out else { return print(TerminalPicture(letters: answer.text).text) }
        try Data(answer.text.utf8).write(to: URL(fileURLWithPath: out), options: .atomic)
        say("\(picture.title): \(out)")
    }

    private func load(
        _ picture: Picture, _ settings: ClientSettings.Configuration, _ tokens: SignIn.Tokens
    ) async throws -> (status: Int, text: String) {
        var request = HTTPClientRequest(url: settings.site.appending(path: picture.rawValue).absoluteString)
        request.headers.add(name: "Authorization", value: "Bearer \(tokens.access)")
        request.headers.add(name: "X-Identity-Token", value: tokens.identity)
        request.headers.add(name: "Accept", value: out == nil ? "text/plain" : "image/svg+xml")
        // Redirections are not followed, because the tokens must go to this site only.
        let client = HTTPClient(configuration: .init(redirectConfiguration: .disallow))
        do {
            let response = try await client.execute(request, timeout: .seconds(30))
            let body = try await response.body.collect(upTo: 1 << 20)
            try await client.shutdown()
            return (Int(response.status.code), String(buffer: body))
        } catch {
            try? await client.shutdown()
            throw error
        }
    }

    /// Prints to the standard error, because the standard output may be used for the picture.
    private func say(_ line: String) {
        FileHandle.standardError.write(Data("\(line)\n".utf8))
    }
}
