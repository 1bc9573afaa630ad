import Directory

/// One page of a list, in the order of internal ids.
package struct RosterPage<Record: Sendable>: Sendable {
    package let records: [Record]
    /// The token of the next page; nil at the end of the list.
    package let next: String?
}

/// What an app has read, and what is needed to write it with the ids that the app knows.
package struct RosterReading<Value: Sendable>: Sendable {
    package let value: Value
    package let organization: Organization
    /// The ids by which the app's team knows people.
    package let identifiers: PairwiseIdentifiers
}
