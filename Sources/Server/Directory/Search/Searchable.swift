import Storage

/// A kind of record that is found by typing a part of it, see ``Search``.
protocol Searchable: Sendable {
    associatedtype ID: RecordID
    /// The table of the records. Those of their index are called after it, see ``SearchIndex``.
    static var table: String { get }
    /// What ``init(_:)`` reads, each column with the name of the table.
    static var columns: String { get }
    /// What stands before the number of a record where people see it, such as `PE-`.
    static var numberPrefix: String { get }
    init(_ row: Row) throws
    var id: ID { get }
    /// The texts in which words are looked for.
    var searchedTexts: [String?] { get }
}

extension Person: Searchable {
    typealias ID = PersonID
    static let table = "person"
    static let numberPrefix = "PE-"
    var searchedTexts: [String?] {
        [fullName, middleName, familyName, userName, email, sourceID, personNumber]
    }
}

extension ManagedClass: Searchable {
    typealias ID = ClassID
    static let table = "class"
    static let numberPrefix = "CL-"
    var searchedTexts: [String?] { [name, displayName, number, sourceID] }
}

extension Location: Searchable {
    typealias ID = LocationID
    static let table = "location"
    static let numberPrefix = "LO:"
    var searchedTexts: [String?] { [name, sourceID, domainName] }
}
