import HummingbirdCore
import NIOCore
import NIOHTTPTypes
import Synchronization

/// The places for connections. As long as some connections wait for a request, one place is kept free for a new one:
/// the connection that has waited longest is closed. So a client that opens many connections and stays silent keeps
/// nobody out.
final class ConnectionPlaces: AvailableConnectionsDelegate {
    private struct State {
        var open = 0
        /// The connections without a complete request, in the order in which they began to wait.
        var waiting: [Int: any Channel] = [:]
        var lastTurn = 0
    }

    private let max: Int
    private let state = Mutex(State())

    init(max: Int) { self.max = max }

    func connectionOpened() {
        state.withLock { $0.open += 1 }
        makeRoom()
    }

    func connectionClosed() { state.withLock { $0.open -= 1 } }

    func isAcceptingNewConnections() -> Bool { state.withLock { $0.open < max } }

    /// - Returns: the key for ``leave(_:)``.
    fileprivate func wait(_ channel: any Channel) -> Int {
        state.withLock { state in
            state.lastTurn += 1
            state.waiting[state.lastTurn] = channel
            return state.lastTurn
        }
    }

    fileprivate func leave(_ turn: Int) { state.withLock { _ = $0.waiting.removeValue(forKey: turn) } }

    /// Asks the connection that has waited longest to close, if all places are taken.
    fileprivate func makeRoom() {
        let longest = state.withLock { state -> (any Channel)? in
            guard state.open >= max, let turn = state.waiting.keys.min() else { return nil }
            return state.waiting.removeValue(forKey: turn)
        }
        longest?.pipeline.fireUserInboundEventTriggered(GiveWay())
    }

    struct GiveWay: Sendable {}
}

/// The place of one connection, which closes it on request if it is waiting.
final class ConnectionPlace: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let places: ConnectionPlaces
    private var requests = 0
    /// The number of answers that were sent completely. An answer may be sent before its request is complete.
    private var answers = 0
    private var turn: Int?
    private var isOpen = false

    init(_ places: ConnectionPlaces) { self.places = places }

    private var isWaiting: Bool { isOpen && requests <= answers }

    func channelActive(context: ChannelHandlerContext) {
        isOpen = true
        turn = places.wait(context.channel)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .end = unwrapInboundIn(data) {
            requests += 1
            if !isWaiting { leave() }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        let promise = promise ?? context.eventLoop.makePromise()
        let channel = context.channel
        promise.futureResult.assumeIsolated().whenComplete { _ in
            self.answers += 1
            guard self.isWaiting, self.turn == nil else { return }
            self.turn = self.places.wait(channel)
            // While all connections were busy, none could be closed for a new one.
            self.places.makeRoom()
        }
        context.write(data, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ConnectionPlaces.GiveWay else { return context.fireUserInboundEventTriggered(event) }
        turn = nil
        // If a request has arrived at this very moment, another connection has to be closed.
        if isWaiting { context.close(promise: nil) } else { places.makeRoom() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        isOpen = false
        leave()
        context.fireChannelInactive()
    }

    private func leave() {
        if let turn { places.leave(turn) }
        turn = nil
    }
}
