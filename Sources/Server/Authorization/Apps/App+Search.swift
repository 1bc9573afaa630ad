import Directory
import Storage

extension App {
    /// The apps that are not removed and fit, in the order of their names.
    /// - Parameters:
    ///   - text: what the name, a client id or the name of the team has to contain, whatever the case; nil for all.
    ///   - readingRosters: whether only apps are found that may ask for people or classes.
    ///   - after: the app after which the page begins.
    package static func search(
        _ text: String?, readingRosters: Bool, under rule: AccessRule, after: AppID?, limit: Int,
        in transaction: some Transaction
    ) throws -> [App] {
        let wanted = text?.lowercased() ?? ""
        // A server has some hundreds of apps. The databases disagree about the case of letters beyond ASCII.
        var found = try list(in: transaction).filter { app in
            guard rule.mayList(app) else { return false }
            guard !readingRosters || app.scopes.readsUsers || app.scopes.readsClasses else { return false }
            guard !wanted.isEmpty, !app.name.lowercased().contains(wanted) else { return true }
            return try clientIDs(of: app.id, in: transaction).contains { $0.lowercased().contains(wanted) }
                || Team.find(app.teamID, in: transaction)?.name.lowercased().contains(wanted) == true
        }
        if let after, let index = found.firstIndex(where: { $0.id == after }) { found.removeFirst(index + 1) }
        return Array(found.prefix(limit))
    }
}
