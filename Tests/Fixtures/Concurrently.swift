/// Runs `body` on every element at once and returns what it gave, in no particular order.
package func concurrently<Element: Sendable, Value: Sendable>(
    _ elements: some Sequence<Element>, _ body: @escaping @Sendable (Element) async -> Value
) async -> [Value] {
    await withTaskGroup(of: Value.self) { group in
        for element in elements { group.addTask { await body(element) } }
        return await group.reduce(into: []) { $0.append($1) }
    }
}
