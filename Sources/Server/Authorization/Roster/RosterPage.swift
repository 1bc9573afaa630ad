import Directory

/// One page of a list, in the order of internal ids.
package struct RosterPage<Record: Sendable>: Sendable {
    package let records: [Record]
    /// The page token with which the list goes on; nil at its end.
    package let next: String?
}

/// What an app read, and what it takes to write it in the app's own terms.
package struct RosterReading<Value: Sendable>: Sendable {
    package let value: Value
    package let organization: Organization
    /// The ids by which the app's team knows people.
    package let identifiers: PairwiseIdentifiers
}
