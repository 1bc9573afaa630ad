import Directory

/// What the audit trail says of a call to the roster: which records were read, out of which list, with which scopes. It
/// names each record, because "between the first and the last" would be no answer to a parent.
package struct RosterTrace: Sendable {
    private let what: String
    let mentions: [AuditMention]

    init(_ what: String, mentioning mentions: [AuditMention] = []) {
        self.what = what
        self.mentions = mentions
    }

    static func one(_ kind: String, _ id: Int64, of records: AuditMention.Records) -> RosterTrace {
        RosterTrace("\(kind) \(id)", mentioning: IDRuns([id]).mentions(of: records))
    }

    static func page<Record>(_ ids: [Int64], of list: RosterList<Record>, role: RosterRole?) -> RosterTrace {
        let runs = IDRuns(ids)
        let remarks = [role.map { "role \($0.rawValue)" }, list.classID.map { "class \($0.rawValue)" }]
        return RosterTrace(
            (["\(ids.count) records, ids \(runs.text)"] + remarks.compactMap(\.self)).joined(separator: "; "),
            mentioning: list.records.map(runs.mentions) ?? [])
    }

    func detail(with scopes: ScopeSet) -> String { "\(what); scopes \(scopes.text)" }
}

/// A call to the roster, as the audit trail has it.
package struct RosterCall: Equatable, Sendable {
    package enum List: String, Sendable {
        case users
        case user = "users/one"
        case usersOfClass = "classes/users"
        case classes
        case `class` = "classes/one"
    }

    package let list: List
    package let ids: IDRuns
    /// Whether ``ids`` are the records that were read. Entries of former versions have the first and the last one, and
    /// what lies between need not have been read.
    package let isExact: Bool
    /// Nil in entries of former versions.
    package let scopes: ScopeSet?
    package let classID: ClassID?

    /// - Returns: nil for a call that was about no people, such as one for the locations.
    package init?(subject: String, detail: String) {
        guard let list = List(rawValue: subject) else { return nil }
        var parts = detail.split(separator: "; ")
        guard !parts.isEmpty else { return nil }
        let what = parts.removeFirst()
        func remark(_ name: String) -> Substring? {
            parts.first { $0.hasPrefix(name + " ") }?.dropFirst(name.count + 1)
        }
        self.list = list
        scopes = remark("scopes").flatMap { ScopeSet(text: String($0)) }
        classID = remark("class").flatMap { Int64($0) }.map(ClassID.init(rawValue:))
        switch list {
        case .user, .class:
            guard let id = what.split(separator: " ").last.flatMap({ Int64($0) }) else { return nil }
            ids = IDRuns([id])
            isExact = true
        case .users, .usersOfClass, .classes:
            guard let text = what.firstRange(of: "ids ").map({ what[$0.upperBound...].prefix { $0 != " " } }) else {
                return nil
            }
            if let runs = IDRuns(text) {
                ids = runs
                isExact = true
            } else {
                let ends = text.split(separator: "…").map { Int64($0) }
                guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last,
                    let range = IDRuns("\(first)-\(last)")
                else { return nil }
                ids = range
                isExact = false
            }
        }
    }

    /// Whether the call has read the record for certain; nil if it cannot have read it.
    package func hasRead(_ id: Int64) -> Bool? {
        guard ids.contains(id) else { return nil }
        return isExact || ids.runs.first?.lowerBound == id || ids.runs.last?.upperBound == id
    }
}
