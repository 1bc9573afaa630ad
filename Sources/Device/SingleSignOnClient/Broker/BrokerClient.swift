import Ground
import NIOCore
import NIOHTTP1
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The single sign-on broker of the user who runs this program, asked over its Unix socket.
///
/// Every call, and every stream, throws one of three errors, all of them a ``BrokerProblem``:
///
/// - ``BrokerUnavailable``: there is no broker, which is known at once, or it went away, or its time is over. Go on as
///   if there were no single sign-on.
/// - ``BrokerRefusal``: the broker has understood the request and does not do it; the error has the HTTP status.
/// - ``BrokerAnswerUnreadable``: this version does not understand the answer.
///
/// Canceling the task that waits throws `CancellationError`, and closes the connection, which tells the broker that the
/// answer is no longer wanted. Unless a call says otherwise, its time limit is ten seconds.
public struct BrokerClient: Sendable {
    /// The broker's Unix socket.
    public let socketPath: String
    /// How long ``match(url:responseCode:)`` may hold up a program; tests on a busy machine wait longer.
    var patience = TimeAmount.seconds(1)

    public init(socketPath: String = BrokerSocket.path()) { self.socketPath = socketPath }

    // MARK: Requests

    /// Everything that happens to a request, up to ``BrokerEvent/finished(_:)``. `POST /v1/requests`.
    ///
    /// A caller that set ``BrokerRequest/presentation`` to `tab` or `terminal` draws what is presented, and answers
    /// with ``present(id:result:)``.
    ///
    /// The request is sent as soon as this is called. The stream throws ``BrokerUnavailable`` after two minutes if the
    /// request may show nothing (``BrokerRequest/presentation`` is `none`), and otherwise after thirty minutes. The
    /// broker's own limits are shorter.
    public func events(for request: BrokerRequest) -> AsyncThrowingStream<BrokerEvent, any Error> {
        lines(
            .POST, "/v1/requests", body: Self.json(request),
            within: request.presentation == BrokerRequest.Presentation.none ? .minutes(2) : .minutes(30))
    }

    /// How a request ends. What an extension presents is shown by the broker. The time limits are those of
    /// ``events(for:)``.
    public func perform(_ request: BrokerRequest) async throws -> BrokerOutcome {
        for try await case .finished(let outcome) in events(for: request) { return outcome }
        try Task.checkCancellation()
        throw BrokerUnavailable(socketPath: socketPath, reason: "it ended the connection before the answer")
    }

    /// Tells the broker what a person did with something that was presented. `POST /v1/requests/{id}/presentation`.
    /// Only the process that made the request can answer, and the first answer counts.
    /// - Parameter id: the `id` of the ``BrokerEvent/Presenting`` that came with ``events(for:)``.
    /// - Throws: ``BrokerRefusal`` with status 404 if nothing is shown under this id any more.
    public func present(id: String, result: PresentationResult) async throws {
        _ = try await answer(.POST, "/v1/requests/\(FormEncoding.escape(id))/presentation", body: Self.json(result))
    }

    // MARK: Questions

    /// Whether a request would be answered, and by whom. Answers within a second or throws. `GET /v1/match`.
    /// - Parameters:
    ///   - url: the request's URL, or one of the forms `sso-realm:REALM` and `sso-host:NAME`.
    ///   - responseCode: 0 before a request, 401 or 407 after a challenge.
    public func match(url: String, responseCode: Int = 0) async throws -> BrokerMatch {
        try await get(Self.matchPath(url: url, responseCode: responseCode), within: patience)
    }

    /// What is installed and what runs. `GET /v1/status`.
    public func status() async throws -> BrokerStatus { try await get("/v1/status") }

    /// The last requests, the newest last. `GET /v1/log`.
    public func log() async throws -> [BrokerLogEntry] { try await get("/v1/log") }

    /// The last requests, the newest last, and then each that ends from now on, but for URLs that nothing covers. `GET
    /// /v1/log?follow=true`.
    ///
    /// The stream has no time limit. It throws ``BrokerUnavailable`` when the broker goes away.
    public func logEntries() -> AsyncThrowingStream<BrokerLogEntry, any Error> {
        lines(.GET, "/v1/log?follow=true")
    }

    /// What the domains of the installed profiles say of their extensions. `GET /v1/domains`.
    public func domains() async throws -> [BrokerDomain] { try await get("/v1/domains") }

    /// Asks all domains again, and waits for them, for two minutes at most. `POST /v1/domains/refresh`.
    public func refreshDomains() async throws -> [BrokerDomain] {
        try decode([BrokerDomain].self, from: try await answer(.POST, "/v1/domains/refresh", within: .minutes(2)))
    }

    /// Yields once immediately, and then each time when other URLs may be covered than before, because profiles,
    /// extensions or a domain's answer have changed. `GET /v1/events`.
    ///
    /// The stream has no time limit. It throws ``BrokerUnavailable`` when the broker goes away. Of several changes that
    /// were not read yet, one is kept.
    public func profileChanges() -> AsyncThrowingStream<Void, any Error> {
        struct Line: Decodable, Sendable { let event: String }
        let lines: AsyncThrowingStream<Line, any Error> = lines(.GET, "/v1/events")
        return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                do {
                    for try await line in lines where line.event == "profilesChanged" { continuation.yield(()) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Lets the next start of an extension wait for a debugger; ``status()`` then has its process. `POST
    /// /v1/extensions/{id}/debug`.
    /// - Parameter identifier: the extension's own, such as `com.example.sso`.
    /// - Throws: ``BrokerRefusal``: with status 403 if the broker was not started with `--author`, with 404 if no such
    ///   extension is installed.
    public func debugExtension(_ identifier: String) async throws {
        _ = try await answer(.POST, "/v1/extensions/\(FormEncoding.escape(identifier))/debug", within: .seconds(10))
    }

    // MARK: The wire

    /// The longest line that can arrive is a message of an extension, which grows a little when the broker encodes it
    /// again.
    private static let lineBytesMax = 2 * ExtensionProtocol.messageBytesMax
    private static let answerBytesMax = 32 << 20

    static func matchPath(url: String, responseCode: Int) -> String {
        "/v1/match?url=\(FormEncoding.escape(url))&responseCode=\(responseCode)"
    }

    private func get<Value: Decodable>(_ path: String, within time: TimeAmount = .seconds(10)) async throws -> Value {
        try decode(Value.self, from: try await answer(.GET, path, within: time))
    }

    private func answer(
        _ method: HTTPMethod, _ path: String, body: ByteBuffer? = nil, within time: TimeAmount = .seconds(10)
    ) async throws -> ByteBuffer {
        try await naming {
            try await withTimeLimit(time) {
                var answer = ByteBuffer()
                try await exchange(method, path, body: body, headWithin: time).run { piece in
                    answer.writeImmutableBuffer(piece)
                    guard answer.readableBytes <= Self.answerBytesMax else {
                        throw NIOTooManyBytesError(maxBytes: Self.answerBytesMax)
                    }
                }
                return answer
            }
        }
    }

    /// Reads an answer that has one JSON value on each line.
    /// - Parameter time: the limit for the whole answer; nil for an answer without an end. The broker has shorter
    ///   limits of its own: this one is for a broker that hangs before it reaches them.
    private func lines<Value: Decodable & Sendable>(
        _ method: HTTPMethod, _ path: String, body: ByteBuffer? = nil, within time: TimeAmount? = nil
    ) -> AsyncThrowingStream<Value, any Error> {
        AsyncThrowingStream { continuation in
            let read: @Sendable () async throws -> Void = {
                var lines = LineBuffer(bytesMax: Self.lineBytesMax)
                try await exchange(method, path, body: body, headWithin: time ?? .seconds(10)).run { piece in
                    for line in try lines.add(piece) { continuation.yield(try decode(Value.self, from: line)) }
                }
                if let line = lines.rest { continuation.yield(try decode(Value.self, from: line)) }
            }
            let task = Task {
                do {
                    try await naming {
                        if let time { try await withTimeLimit(time, read) } else { try await read() }
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func exchange(
        _ method: HTTPMethod, _ path: String, body: ByteBuffer?, headWithin time: TimeAmount
    ) -> BrokerExchange {
        BrokerExchange(socketPath: socketPath, method: method, path: path, body: body, headWithin: time)
    }

    private static func json(_ value: some Encodable) -> ByteBuffer {
        // These values hold only strings, numbers and data, all of which JSON can express.
        // swift-format-ignore: NeverUseForceTry
        ByteBuffer(bytes: try! JSONEncoder().encode(value))
    }

    private static let decoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }()

    private func decode<Value: Decodable>(_: Value.Type, from bytes: ByteBuffer) throws -> Value {
        do {
            return try Self.decoder.decode(Value.self, from: bytes.data)
        } catch {
            throw BrokerAnswerUnreadable(reason: "\(error)")
        }
    }

    /// Throws ``BrokerUnavailable`` for whatever error the connection reports when the broker is not there.
    private func naming<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as any BrokerProblem {
            throw error
        } catch {
            if Task.isCancelled || error is CancellationError { throw CancellationError() }
            throw BrokerUnavailable(socketPath: socketPath, reason: BrokerUnavailable.text(error))
        }
    }
}

extension ByteBuffer {
    var data: Data { Data(readableBytesView) }
}
