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
        /// The connections without a complete request, by turns in the order in which they began to wait.
        var waiting: [Int: any Channel] = [:]
        /// The turn of the connection that was let in last; nil once it has had a request.
        var newest: Int?
        var lastTurn = 0
    }

    private let max: Int
    private let state = Mutex(State())

    init(max: Int) { self.max = max }

    func connectionOpened() {
        state.withLock { $0.open += 1 }
        makeRoom(sparesNewest: true)
    }

    func connectionClosed() { state.withLock { $0.open -= 1 } }

    func isAcceptingNewConnections() -> Bool { state.withLock { $0.open < max } }

    /// - Parameter isNew: whether the connection has just been let in.
    /// - Returns: the key for ``leave(_:)``.
    fileprivate func wait(_ channel: any Channel, isNew: Bool = false) -> Int {
        state.withLock { state in
            state.lastTurn += 1
            state.waiting[state.lastTurn] = channel
            if isNew { state.newest = state.lastTurn }
            return state.lastTurn
        }
    }

    fileprivate func leave(_ turn: Int) {
        state.withLock { state in
            state.waiting.removeValue(forKey: turn)
            if state.newest == turn { state.newest = nil }
        }
    }

    /// Makes a connection that waits the one that has waited shortest.
    /// - Returns: the new key for ``leave(_:)``.
    fileprivate func waitAnew(_ channel: any Channel, after turn: Int) -> Int {
        leave(turn)
        return wait(channel)
    }

    /// Asks the connection that has waited longest to close, if all places are taken.
    /// - Parameter sparesNewest: whether that is not to be the one that was let in last, because room is made for it. While all
    ///   others are busy, it would otherwise be closed before it has sent its request.
    fileprivate func makeRoom(sparesNewest: Bool = false) {
        let longest = state.withLock { state -> (channel: any Channel, turn: Int)? in
            let spared = sparesNewest ? state.newest : nil
            guard state.open >= max, let turn = state.waiting.keys.lazy.filter({ $0 != spared }).min() else {
                return nil
            }
            return state.waiting.removeValue(forKey: turn).map { ($0, turn) }
        }
        if let longest { longest.channel.pipeline.fireUserInboundEventTriggered(GiveWay(turn: longest.turn)) }
    }

    /// Asks a connection to close if it still waits as it did in that turn.
    struct GiveWay: Sendable {
        let turn: Int
    }
}

/// The place of one connection, which closes it when it has waited for long, and on request if it is waiting.
final class ConnectionPlace: ChannelDuplexHandler, RemovableChannelHandler, StandingAnswerObserver {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let places: ConnectionPlaces
    private let idleLimit: TimeAmount
    /// When something was read or answered last.
    private var lastUse = NIODeadline.now()
    private var idleDeadline: Deadline?
    private var requests = 0
    /// The number of answers that were sent completely. An answer may be sent before its request is complete.
    private var answers = 0
    private var turn: Int?
    private var isOpen = false

    init(_ places: ConnectionPlaces, idleLimit: Duration = .seconds(75)) {
        self.places = places
        self.idleLimit = TimeAmount(idleLimit)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        idleDeadline = Deadline { [weak self] in self?.idled(channel) }
    }

    private var isWaiting: Bool { isOpen && requests <= answers }

    func channelActive(context: ChannelHandlerContext) {
        isOpen = true
        turn = places.wait(context.channel, isNew: true)
        lastUse = context.eventLoop.now
        watch(context.channel)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastUse = context.eventLoop.now
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
            self.lastUse = channel.eventLoop.now
            guard self.isWaiting, self.turn == nil else { return }
            self.watch(channel)
            self.turn = self.places.wait(channel)
            // While all connections were busy, none could be closed for a new one.
            self.places.makeRoom()
        }
        context.write(data, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let event = event as? ConnectionPlaces.GiveWay else {
            return context.fireUserInboundEventTriggered(event)
        }
        // If a request has arrived or was answered at this very moment, another connection has to be closed.
        guard event.turn == turn else { return places.makeRoom() }
        turn = nil
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        isOpen = false
        leave()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        idleDeadline?.end()
        idleDeadline = nil
    }

    func standingAnswerWasGiven(on channel: any Channel) {
        lastUse = channel.eventLoop.now
        if let turn { self.turn = places.waitAnew(channel, after: turn) }
    }

    private func watch(_ channel: any Channel) {
        idleDeadline?.move(to: lastUse + idleLimit, on: channel.eventLoop)
    }

    private func idled(_ channel: any Channel) {
        guard isWaiting else { return }
        // In the meantime something may have been read or answered.
        guard channel.eventLoop.now >= lastUse + idleLimit else { return watch(channel) }
        channel.close(promise: nil)
    }

    private func leave() {
        if let turn { places.leave(turn) }
        turn = nil
    }
}
