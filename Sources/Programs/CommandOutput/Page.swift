import ArgumentParser

/// `--after` and `--limit` of listings that can be long.
package struct PageOptions: ParsableArguments {
    // A number that begins with a minus is a number, too, and is told what it should be.
    @Option(parsing: .unconditional, help: "Begin after this one: the number that the page before ended with.")
    package var after = 0

    @Option(parsing: .unconditional, help: "How many to show.")
    package var limit = 100

    package init() {}

    package func validate() throws {
        guard after >= 0 else { throw ValidationError("--after must not be negative.") }
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit must be between 1 and 10000.") }
    }

    /// The end of a page that is not the last.
    package static func hint(_ next: Int?) -> String { next.map { "\n\nThere is more: --after \($0)" } ?? "" }
}

extension Array {
    /// The first `limit` elements; `next` numbers the last of them if there are more.
    package func page(limit: Int, number: (Element) -> Int) -> (elements: [Element], next: Int?) {
        let elements = Array(prefix(limit))
        return (elements, count > limit ? elements.last.map(number) : nil)
    }
}
