import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// A browser that keeps cookies, and follows redirects on request.
final class Browser: Sendable {
    private let origin: String
    private let client: HTTPClient
    private let jar = Mutex<[String: String]>([:])

    init(origin: String, client: HTTPClient) {
        self.origin = origin
        self.client = client
    }

    var cookies: [String: String] {
        get { jar.withLock { $0 } }
        set { jar.withLock { $0 = newValue } }
    }

    func forget(cookie name: String) {
        jar.withLock { jar in jar = jar.filter { !$0.key.hasSuffix(name) } }
    }

    @discardableResult
    func get(_ path: String, _ headers: [String: String] = [:]) async throws -> Answer {
        try await send(.GET, path, headers)
    }

    @discardableResult
    func post(_ path: String, _ fields: [String: String], _ headers: [String: String] = [:]) async throws -> Answer {
        try await send(
            .POST, path, ["Content-Type": "application/x-www-form-urlencoded"].merging(headers) { $1 },
            body: Self.encode(fields.map { $0 }))
    }

    /// Submits a form of the page, with the person's input and the pressed button.
    @discardableResult
    func submit(
        _ form: Answer.Form?, _ typed: [String: String] = [:], _ headers: [String: String] = [:]
    ) async throws -> Answer {
        guard let form else { throw Missing.form }
        return try await post(form.action, form.fields.merging(typed) { _, typed in typed }, headers)
    }

    /// Follows redirects as long as they stay on this server.
    func follow(_ answer: Answer) async throws -> Answer {
        var answer = answer
        for _ in 0..<8 where (300..<400).contains(answer.status) && answer.location.hasPrefix("/") {
            answer = try await get(answer.location)
        }
        return answer
    }

    func send(
        _ method: HTTPMethod, _ path: String, _ headers: [String: String] = [:], body: String? = nil
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: origin + path)
        request.method = method
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        let cookies = jar.withLock { $0.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; ") }
        if !cookies.isEmpty { request.headers.add(name: "Cookie", value: cookies) }
        if let body { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await client.execute(request, timeout: .minutes(10))
        var content = String(buffer: try await response.body.collect(upTo: 16 << 20))
        // Allows line breaks in addresses; people do not see it. Other answers can be a megabyte, and are searched slowly.
        if response.headers.first(name: "Content-Type")?.hasPrefix("text/html") == true {
            content = content.replacingOccurrences(of: "<wbr>", with: "")
        }
        let answer = Answer(
            status: Int(response.status.code), headers: response.headers, body: content, path: path)
        answer.cookies.forEach(keep)
        return answer
    }

    private func keep(_ cookie: String) {
        let parts = cookie.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        guard let pair = parts.first, let equals = pair.firstIndex(of: "=") else { return }
        let (name, value) = (String(pair[..<equals]), String(pair[pair.index(after: equals)...]))
        let isDeleted = parts.contains { $0.lowercased() == "max-age=0" }
        jar.withLock { $0[name] = isDeleted ? nil : value }
    }

    enum Missing: Error {
        case form
    }

    /// A form body or query, percent-encoded except for RFC 3986's unreserved characters.
    static func encode(_ fields: [(key: String, value: String)]) -> String {
        fields.map { "\(escape($0.key))=\(escape($0.value))" }.joined(separator: "&")
    }

    static func escape(_ text: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
