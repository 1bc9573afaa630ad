import CLinux
import NIOCore

/// Gives back the memory that nobody needs while nobody asks: free parts of the heap, and pages of programs' files, which
/// Linux reads again when they are needed. Costs no timer while nobody asks.
final class IdleMemory: Sendable {
    /// Longer than extensions stay.
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

    /// Somebody asks.
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
