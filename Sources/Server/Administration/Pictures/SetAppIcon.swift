import Authorization
import Directory
import Foundation
import Storage

/// Puts an icon on the badge of an app, in place of its initials.
package struct SetAppIcon: AppChange {
    package typealias Answer = AppRecord
    package typealias Preparation = BadgePicture

    package static let name = "app.set-icon"
    package static let summary = """
        Puts an icon on the badge of an app, which people see where it asks them for something. Without one, the badge has \
        initials again.
        """
    package static let privilege = Privilege.manageApps
    package static let route = OperationRoute(.post, "apps/{app}/icon", below: .server, bodyBytesMax: 2 << 20)
    package static let explanations = ["app": AppReference.explanation, "icon": BadgePicture.explanation]
    package static let undo = UndoRule.possible
    package static let mayChangeNothing = true
    package static let isPreparedForPreviews = true

    package let app: AppReference
    package let icon: Data?

    package init(app: AppReference, icon: Data?) {
        self.app = app
        self.icon = icon
    }

    package func prepare(for subject: App, in context: OperationContext) async throws -> BadgePicture {
        try await BadgePicture.drawn(icon, field: "icon")
    }

    package func blankPreparation(for subject: App, in context: OperationContext) -> BadgePicture { .none }

    package func carryOut(on app: App, _ given: BadgePicture, in act: Act) throws -> AppRecord {
        if app.iconID != given.id {
            let former = try app.icon(in: act.transaction)
            try app.put(icon: given.png, in: act.transaction)
            try act.record(.appChanged, on: app, called: app.name, given.png == nil ? "no icon" : "icon")
            act.undo(by: SetAppIcon(app: AppReference(app.id), icon: former))
        }
        return try act.appRecord(app)
    }
}
