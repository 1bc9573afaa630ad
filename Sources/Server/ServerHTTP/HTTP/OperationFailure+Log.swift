import Administration

extension OperationFailure {
    /// What the log says. The sentence for people names them, and what they were looking for; those who read logs need
    /// not know either, and find with the id of the request what the trail has.
    var reasonForLog: String {
        var parts = [kind.rawValue]
        if let subjectKind { parts.append(subjectKind.rawValue) }
        if let field { parts.append(field) }
        if let remedy { parts.append("\(remedy.operation) would help") }
        if let items { parts.append("\(items.count) items") }
        return parts.joined(separator: ", ")
    }
}
