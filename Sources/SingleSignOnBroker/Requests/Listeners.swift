/// Those who want to hear of something, until they go.
struct Listeners<Value> {
    private var listeners: [UInt64: (Value) -> Void] = [:]
    private var last: UInt64 = 0

    /// - Returns: a number by which to forget it.
    mutating func add(_ listener: @escaping (Value) -> Void) -> UInt64 {
        last += 1
        listeners[last] = listener
        return last
    }

    mutating func forget(_ number: UInt64) { listeners[number] = nil }

    func tell(_ value: Value) {
        for listener in listeners.values { listener(value) }
    }
}
