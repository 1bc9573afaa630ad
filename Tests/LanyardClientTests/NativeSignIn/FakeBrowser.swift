import AsyncHTTPClient
import Foundation
import LanyardClient
import NIOCore
import NIOHTTP1
import Synchronization

/// A person with a browser, or without one: looks at the address, and sends what the service would.
final class FakeBrowser: SignInPresentation {
    private struct State {
        var url = ""
        var shown: [String] = []
    }

    private let state = Mutex(State())
    private let respond: (@Sendable ([String: String]) async throws -> [String: String])?

    /// - Parameter respond: The fields of the form that is posted, the state excepted, for the parameters of the address. Nil
    ///   if there is no browser.
    init(_ respond: (@Sendable ([String: String]) async throws -> [String: String])?) {
        self.respond = respond
    }

    var url: String { state.withLock { $0.url } }
    var parameters: [String: String] { WireRequest(.get, url).parameters }
    /// The codes that the person was shown.
    var shown: [String] { state.withLock { $0.shown } }

    func open(_ url: String) async -> Bool {
        state.withLock { $0.url = url }
        guard let respond else { return false }
        do {
            let parameters = parameters
            var fields = try await respond(parameters)
            fields["state"] = parameters["state"]
            let encoded = fields.map { name, value in
                "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!)"
            }.joined(separator: "&")
            var request = HTTPClientRequest(url: parameters["redirect_uri"]!)
            if parameters["response_mode"] == "form_post" {
                request.method = .POST
                request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
                request.headers.add(name: "Origin", value: "https://lanyard.example")
                request.body = .bytes(ByteBuffer(string: encoded))
            } else {
                request.url += "?" + encoded
            }
            // An answer of the listener means that the window can be closed.
            return try await HTTPClient.withoutRedirects.execute(request, timeout: .seconds(10)).status == .ok
        } catch {
            return false
        }
    }

    func show(_ device: DeviceAuthorization) async {
        state.withLock { $0.shown.append(device.userCode) }
    }
}
