@testable import ServerPages

/// A sentence of the pages in English, by its key in the catalogue. What it says is for the tests of the pages.
func sentence(_ key: String, _ values: [String: String] = [:]) throws -> String {
    let catalogue = try Pages().catalogues[.english]
    guard let text = catalogue.text(Sentence(key), with: values.mapValues { .text($0) }) else {
        throw UnknownSentence(key: key)
    }
    return text
}

private struct UnknownSentence: Error { let key: String }
