import ArgumentParser

/// `--after` and `--limit`, for listings that can be long.
package struct PageOptions: ParsableArguments {
    // Unconditional, so that a negative number is parsed as the value, and the error says which values are valid.
    @Option(parsing: .unconditional, help: "Begin after this one: the number that the page before ended with.")
    package var after = 0

    @Option(parsing: .unconditional, help: "How many to show.")
    package var limit = 100

    package init() {}

    package func validate() throws {
        guard after >= 0 else { throw ValidationError("--after must not be negative.") }
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit must be between 1 and 10000.") }
    }

    /// The text after a page that tells how to get the next one; empty for the last page.
    package static func hint(_ next: Int?) -> String { next.map { "\n\nThere is more: --after \($0)" } ?? "" }
}

extension Array {
    /// The first `limit` elements. `next` is the number of the last of them, or nil if there are no more.
    package func page(limit: Int, number: (Element) -> Int) -> (elements: [Element], next: Int?) {
        let elements = Array(prefix(limit))
        return (elements, count > limit ? elements.last.map(number) : nil)
    }
}
