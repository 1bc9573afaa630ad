import HummingbirdCore
import NIOCore
import NIOHTTPTypes
import Synchronization

/// The places for connections. As long as some wait for a request, one place is kept free for a newcomer: whoever has
/// waited longest gives way. So whoever opens many connections and is silent on them keeps nobody out.
final class ConnectionPlaces: AvailableConnectionsDelegate {
    private struct State {
        var open = 0
        /// The connections without a whole request, by the order in which they began to wait.
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

    /// - Returns: what ``leave(_:)`` takes.
    fileprivate func wait(_ channel: any Channel) -> Int {
        state.withLock { state in
            state.lastTurn += 1
            state.waiting[state.lastTurn] = channel
            return state.lastTurn
        }
    }

    fileprivate func leave(_ turn: Int) { state.withLock { _ = $0.waiting.removeValue(forKey: turn) } }

    /// Asks the connection that has waited longest to give way, if all places are taken.
    fileprivate func makeRoom() {
        let longest = state.withLock { state -> (any Channel)? in
            guard state.open >= max, let turn = state.waiting.keys.min() else { return nil }
            return state.waiting.removeValue(forKey: turn)
        }
        longest?.pipeline.fireUserInboundEventTriggered(GiveWay())
    }

    struct GiveWay: Sendable {}
}

/// One connection's place: whether it waits for a request, and may have to give way.
final class ConnectionPlace: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let places: ConnectionPlaces
    private var requests = 0
    /// Those that have left for good. An answer may go out before its request is whole.
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
            // Nobody could give way as long as all were busy.
            self.places.makeRoom()
        }
        context.write(data, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ConnectionPlaces.GiveWay else { return context.fireUserInboundEventTriggered(event) }
        turn = nil
        // A request may have come at this very moment; then it is somebody else's turn.
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
