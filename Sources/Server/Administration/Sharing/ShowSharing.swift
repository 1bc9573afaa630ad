import Directory
import Storage

/// Says what an organization shares with an app, and how many people and classes the app sees.
package struct ShowSharing: Inquiry {
    package typealias Answer = SharingRecord

    package static let name = "sharing.show"
    package static let summary = "Says which people, classes and fields an app sees, if the organization lets it read."
    package static let privilege = Privilege.shareData
    package static let route = OperationRoute(.get, "apps/{app}/sharing")
    package static let explanations = ["app": AppReference.explanation]

    package let app: AppReference

    package init(app: AppReference) { self.app = app }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> SharedApp {
        try app.findShared(in: context, transaction)
    }

    package func answer(
        about shared: SharedApp, in context: OperationContext, _ transaction: some Transaction
    ) throws -> SharingRecord {
        try SharingRecord(shared, for: context.authority, at: context.now, in: transaction)
    }

    package static func people(in answer: SharingRecord) -> [PersonID]? {
        answer.leftOut.map { PersonID(rawValue: $0.number) }
    }
}
