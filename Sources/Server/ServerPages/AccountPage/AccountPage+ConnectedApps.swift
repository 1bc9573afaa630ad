import Foundation

extension AccountPage {
    /// An app that reads the organization's roster, shown to people who decide about that.
    package struct ConnectedApp: Sendable {
        package let app: RequestingApp
        package let scopes: Set<ConsentScope>
        package let allowedBy: String
        package let allowedAt: Date
        /// Nil if it has never read.
        package let lastReadAt: Date?
        /// False if the organization's rules exclude the app at present.
        package let mayRead: Bool
        /// The last day of the consent; nil if it has no end.
        package let lastDay: Date?
        /// Leads to ``RenewSharingPage``; nil if there is nothing to renew.
        package let renewPath: String?
        /// Leads to ``StopSharingPage``.
        package let stopPath: String

        package init(
            _ app: RequestingApp, scopes: Set<ConsentScope>, allowedBy: String, allowedAt: Date, lastReadAt: Date?,
            mayRead: Bool, lastDay: Date? = nil, renewPath: String? = nil, stopPath: String
        ) {
            self.app = app
            self.scopes = scopes
            self.allowedBy = allowedBy
            self.allowedAt = allowedAt
            self.lastReadAt = lastReadAt
            self.mayRead = mayRead
            self.lastDay = lastDay
            self.renewPath = renewPath
            self.stopPath = stopPath
        }

        /// What the app reads, in one sentence.
        private var reads: Sentence {
            Sentence(mayRead ? "connected.reads\(scopes.words)" : "connected.readsNothing")
        }

        func content(at now: Date) -> Content {
            [
                "badge": .group(app.badge.content),
                "appName": .text(app.name),
                "reads": .sentence(reads),
                "teamName": .text(app.teamName.shown),
                "allowedBy": .text(allowedBy.shown),
                "allowedOn": .day(allowedAt),
                "lastRead": .sentence(
                    lastReadAt.map { .since($0, at: now, saying: "connected.read") } ?? Sentence("connected.notRead")),
                "ends": .group(ifAny: lastDay.map { ["on": .day($0)] }),
                "renewal": .group(
                    ifAny: renewPath.map {
                        [
                            "path": .text($0),
                            "label": .sentence(Sentence("connected.renew", ["app": .text(app.name)])),
                        ]
                    }),
                "stopPath": .text(stopPath),
                "stopLabel": .sentence(Sentence("connected.stop", ["app": .text(app.name)])),
            ]
        }

        static let sentences =
            Sentence.agoSentences(saying: "connected.read")
            + ["readsUsersAndClasses", "readsUsers", "readsClasses", "readsNothing", "notRead", "stop", "renew"].map {
                Sentence("connected.\($0)")
            }
    }

    func content(of connected: [ConnectedApp]) -> Content {
        ["rows": .list(connected.map { $0.content(at: now) })]
    }
}

extension Set<ConsentScope> {
    /// The last part of a catalogue key for this set of scopes.
    var words: String {
        contains(.users) ? contains(.classes) ? "UsersAndClasses" : "Users" : "Classes"
    }
}
