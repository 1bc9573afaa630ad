import Ground
import Synchronization

/// Negotiations that wait for the server's next token. docs/specifications/extensible-single-sign-on.md, 18.4 and 18.6.
///
/// They live in this process only: the broker keeps it for ten seconds after the last request, and a server that takes longer
/// to send its challenge is asked anew.
final class OpenNegotiations: Sendable {
    /// Which request a challenge belongs to.
    struct Key: Hashable, Sendable {
        let caller: String
        /// The caller's word for the request that it repeats; empty if it has none.
        let conversation: String
        let host: String
        let isProxy: Bool
    }

    private struct Open {
        let context: SecurityContext
        let since: Stopwatch
    }

    private let open = Mutex<[Key: Open]>([:])
    private static let limit = 64

    /// Takes the negotiation out, so that nobody else continues it.
    func take(_ key: Key) -> SecurityContext? {
        open.withLock { $0.removeValue(forKey: key)?.context }
    }

    func keep(_ context: SecurityContext, as key: Key) {
        open.withLock { open in
            open = open.filter { $0.value.since.elapsed < .seconds(60) }
            if open.count >= Self.limit,
                let oldest = open.max(by: { $0.value.since.elapsed < $1.value.since.elapsed })?.key
            {
                open[oldest] = nil
            }
            open[key] = Open(context: context, since: Stopwatch())
        }
    }
}
