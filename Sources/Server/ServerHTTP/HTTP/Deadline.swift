import NIOCore

/// A time at which something happens on the event loop of a connection, unless it is moved before.
///
/// Moving it costs an assignment. The event loop is asked for one call and keeps it; if the deadline was moved when the call comes, it is
/// asked for another one. To take a call back, NIO looks through all that it was asked for, which are as many as there are connections, and
/// deadlines are moved with each request.
final class Deadline: NIOScheduledCallbackHandler {
    private let onReached: () -> Void
    private var time = NIODeadline.distantFuture
    private var call: (time: NIODeadline, callback: NIOScheduledCallback)?

    /// - Parameter onReached: must not keep whoever owns the deadline.
    init(onReached: @escaping () -> Void) { self.onReached = onReached }

    /// Whether it is to be reached some time.
    var isSet: Bool { time != .distantFuture }

    func move(to time: NIODeadline, on eventLoop: any EventLoop) {
        self.time = time
        if let call, call.time <= time { return }
        call?.callback.cancel()
        // A loop that ends calls nobody.
        call = try? (time, eventLoop.assumeIsolated().scheduleCallback(at: time, handler: self))
    }

    /// It is not reached any more, until it is moved.
    func stop() { time = .distantFuture }

    /// Gives back what the event loop keeps for it.
    func end() {
        stop()
        call?.callback.cancel()
        call = nil
    }

    func handleScheduledCallback(eventLoop: some EventLoop) {
        call = nil
        guard isSet else { return }
        guard time <= eventLoop.now else { return move(to: time, on: eventLoop) }
        stop()
        onReached()
    }
}
