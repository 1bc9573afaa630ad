import Authorization
import Directory
import Storage

extension ActivityCounter {
    /// A counter that knows how entries tell which records an app has read.
    package init(database: any Database) {
        self.init(database: database) { entry in
            RosterCall(subject: entry.subject, detail: entry.detail)?.ids.runs.reduce(0) { $0 + $1.count }
        }
    }
}
