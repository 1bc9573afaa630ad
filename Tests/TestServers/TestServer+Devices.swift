import Crypto
import Directory
import Fixtures
import Foundation
import NIOHTTP1
import Storage

extension TestServer {
    func deviceCode(for person: Person) async throws -> String {
        try await DeviceRegistrar.issueCode(for: person, in: database, fixed)
    }

    /// - Parameter changes: to the members of the body; `NSNull` leaves one out.
    func register(
        _ device: TestDevice, code: String, _ changes: [String: Any] = [:], headers: [String: String] = [:]
    ) async throws -> Answer {
        let body: [String: Any] = [
            "code": code, "publicKey": device.jwk, "name": "Nadia's laptop",
            "facts": ["os": "Debian 12", "encrypted": true],
        ].merging(changes) { _, new in new }.filter { !($0.value is NSNull) }
        let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
        return try await postJSON(text, headers)
    }

    func postJSON(_ text: String, _ headers: [String: String] = [:]) async throws -> Answer {
        try await browser().send(
            .POST, "/device-registration", ["Content-Type": "application/json"].merging(headers) { $1 }, body: text)
    }

    /// A device that is registered for a person, and its id.
    func addDevice(for person: Person, _ device: TestDevice = TestDevice()) async throws -> (TestDevice, id: String) {
        let answer = try await register(device, code: try await deviceCode(for: person))
        guard let id = answer.json["device"] as? String else { throw NoCode(answer: answer.line) }
        return (device, id)
    }

    func assertion(_ device: TestDevice, _ id: String, _ claims: [String: Any] = [:]) throws -> String {
        try device.assertion(of: id, to: Self.baseURL, at: fixed.now, claims: claims)
    }

    /// What the extension sends.
    func enter(
        _ assertion: String, in browser: Browser? = nil, _ headers: [String: String] = [:]
    ) async throws -> Answer {
        try await (browser ?? self.browser()).send(
            .POST, "/device-session", ["Content-Type": "application/x-www-form-urlencoded"].merging(headers) { $1 },
            body: Browser.encode([("assertion", assertion)]))
    }
}
