import Storage

extension Person {
    /// The language that the person has chosen on our pages while they were signed in; nil: none yet.
    /// - Returns: a BCP 47 tag.
    package static func language(of person: PersonID, in transaction: some Transaction) throws -> String? {
        try transaction.first("SELECT language FROM person WHERE id = $1", [person]) { try $0[0] as String? } ?? nil
    }

    /// No part of the record that apps read.
    package static func put(language: String, of person: PersonID, in transaction: WriteTransaction) throws {
        try transaction.execute("UPDATE person SET language = $2 WHERE id = $1", [person, language])
    }
}
