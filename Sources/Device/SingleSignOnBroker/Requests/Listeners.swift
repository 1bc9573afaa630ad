/// Closures that are called with each value, until they are forgotten. Used on one event loop alone.
///
/// It is a class and not a value, because `forget` may be called from within `tell`: writing to a client's connection
/// may show that the client has gone.
final class Listeners<Value> {
    private var listeners: [UInt64: (Value) -> Void] = [:]
    private var last: UInt64 = 0

    var isEmpty: Bool { listeners.isEmpty }

    /// - Returns: the number for ``forget(_:)``.
    func add(_ listener: @escaping (Value) -> Void) -> UInt64 {
        last += 1
        listeners[last] = listener
        return last
    }

    func forget(_ number: UInt64) { listeners[number] = nil }

    /// Calls the listeners in the order in which they were added. Listeners that are added or forgotten meanwhile are
    /// not called.
    func tell(_ value: Value) {
        for number in listeners.keys.sorted() {
            guard let listener = listeners[number] else { continue }
            listener(value)
        }
    }
}
