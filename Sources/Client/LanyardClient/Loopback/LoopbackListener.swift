import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A web server for one answer: it waits on a free port of 127.0.0.1 for the browser to come back. RFC 8252 section
/// 7.3.
///
/// Any program on this machine, and any page in its browsers, can send requests here. So only a navigation with this
/// address as its host, from the provider, with fields that the caller recognizes counts as the answer. Anything else
/// is refused, and the listener keeps waiting.
final class LoopbackListener: Sendable {
    /// How the answer arrives.
    enum Delivery: Sendable {
        /// A redirect, with a query.
        case query
        /// A form that a page of this origin posts.
        case form(origin: String)
    }

    let redirectURI: String
    private let channel: any Channel
    private let visitors: Visitors
    private let answers: AsyncStream<String>

    /// - Parameters:
    ///   - path: The path of the redirect URI.
    ///   - isAnswer: whether these fields belong to the caller's attempt.
    init(path: String, delivery: Delivery, isAnswer: @escaping @Sendable (String) -> Bool) async throws {
        let (answers, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(1))
        let visitors = Visitors()
        let door = LoopbackDoor(path: path, delivery: delivery, isAnswer: isAnswer)
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 16)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard visitors.admit(channel) else { throw ChannelError.operationUnsupported }
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                    try pipeline.addHandler(IdleStateHandler(readTimeout: .seconds(10)))
                    try pipeline.addHandler(
                        LoopbackHandler(door: door, port: channel.localAddress?.port ?? 0) {
                            continuation.yield($0)
                            continuation.finish()
                        })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        redirectURI = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)\(path)"
        self.visitors = visitors
        self.answers = answers
    }

    /// The fields of the answer, or nil if none arrives in this time. The browser has received its page before this
    /// returns.
    func answer(within limit: Duration, sleep: @escaping @Sendable (Duration) async throws -> Void) async throws
        -> String?
    {
        try await withThrowingTaskGroup(of: String?.self) { group in
            group.addTask { [answers] in await answers.first { _ in true } }
            group.addTask {
                try await sleep(limit)
                return nil
            }
            defer { group.cancelAll() }
            let answer = try await group.next()!  // two tasks were added
            try Task.checkCancellation()
            return answer
        }
    }

    func close() async {
        try? await channel.close()
        for visitor in visitors.all {
            try? await visitor.close()
        }
    }
}

/// The open connections, limited in number: a browser needs one or two.
private final class Visitors: Sendable {
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])
    private static let countMax = 32

    var all: [any Channel] { channels.withLock { Array($0.values) } }

    func admit(_ channel: any Channel) -> Bool {
        let isAdmitted = channels.withLock { channels in
            guard channels.count < Self.countMax else { return false }
            channels[ObjectIdentifier(channel)] = channel
            return true
        }
        if isAdmitted {
            channel.closeFuture.whenComplete { [weak self] _ in
                _ = self?.channels.withLock { $0.removeValue(forKey: ObjectIdentifier(channel)) }
            }
        }
        return isAdmitted
    }
}
