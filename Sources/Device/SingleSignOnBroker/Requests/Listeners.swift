/// Those who want to hear of something, until they are forgotten. Used on one event loop alone.
///
/// A class of its own, outside of what it tells about: a listener may be found gone while it is told, and is forgotten
/// then, in the middle of it.
final class Listeners<Value> {
    private var listeners: [UInt64: (Value) -> Void] = [:]
    private var last: UInt64 = 0

    var isEmpty: Bool { listeners.isEmpty }

    /// - Returns: a number by which to forget it.
    func add(_ listener: @escaping (Value) -> Void) -> UInt64 {
        last += 1
        listeners[last] = listener
        return last
    }

    func forget(_ number: UInt64) { listeners[number] = nil }

    /// Calls all who listen now, in the order in which they came; not those who are forgotten meanwhile.
    func tell(_ value: Value) {
        for number in listeners.keys.sorted() {
            guard let listener = listeners[number] else { continue }
            listener(value)
        }
    }
}
