import CLinux
import NIOCore

/// Gives memory back to the system when there were no requests for a while: free parts of the heap, and the pages of
/// program files, which Linux reads again when they are needed. No timer runs afterwards until the next request.
final class IdleMemory: Sendable {
    /// Longer than extensions are kept running without requests.
    private static let patience = TimeAmount.seconds(20)

    private let loop: any EventLoop
    private let state: NIOLoopBoundBox<State>

    private struct State {
        var usedAt = NIODeadline.now()
        var isWaiting = false
    }

    /// To be made on the event loop, and used there.
    init(on loop: any EventLoop) {
        self.loop = loop
        state = NIOLoopBoundBox(State(), eventLoop: loop)
    }

    /// To be called with every request.
    func use() {
        state.value.usedAt = .now()
        if !state.value.isWaiting { wait() }
    }

    private func wait() {
        state.value.isWaiting = true
        loop.assumeIsolated().scheduleTask(deadline: state.value.usedAt + Self.patience) { [self] in
            guard .now() - state.value.usedAt >= Self.patience else { return wait() }
            state.value.isWaiting = false
            lanyard_give_back_memory()
        }
    }
}
