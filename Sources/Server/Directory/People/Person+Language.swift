import Storage

extension Person {
    /// - Parameter language: a BCP 47 tag.
    package static func put(language: String, of person: PersonID, in transaction: WriteTransaction) throws {
        try transaction.execute("UPDATE person SET language = $2 WHERE id = $1", [person, language])
    }
}
