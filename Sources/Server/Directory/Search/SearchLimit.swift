/// How much a search is given at most. Each word is looked for in each record that may be found, and a long text takes long to
/// fold and makes a pattern that SQLite refuses. No name is longer than ``bytesMax``.
package enum SearchLimit {
    /// The input that has the text, as refusals name it.
    package static let field = "text"
    package static let wordsMax = 16
    package static let bytesMax = FieldRule.name.bytesMax

    /// - Throws: ``DirectoryError/invalidField(field:reason:)``
    static func check(bytesOf text: String) throws {
        guard text.utf8.count <= bytesMax else {
            throw DirectoryError.invalidField(
                field: field, reason: "has \(text.utf8.count) bytes; a search takes \(bytesMax) at most")
        }
    }

    /// - Throws: ``DirectoryError/invalidField(field:reason:)``
    static func check(_ words: [String]) throws {
        guard words.count <= wordsMax else {
            throw DirectoryError.invalidField(
                field: field, reason: "has more than \(wordsMax) words")
        }
    }
}
