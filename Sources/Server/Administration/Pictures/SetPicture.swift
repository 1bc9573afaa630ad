import Directory
import Foundation
import Storage

/// Puts a picture on the badge of an organization, in place of its initials.
package struct SetPicture: Change {
    package typealias Answer = OrganizationRecord
    package typealias Preparation = BadgePicture

    package static let name = "organization.set-picture"
    package static let summary = """
        Puts a picture on the badge of an organization, in place of its initials. Without one, the badge has initials again.
        """
    package static let privilege = Privilege.manageOrganization
    package static let route = OperationRoute(.post, "picture", bodyBytesMax: 2 << 20)
    package static let explanations = ["picture": BadgePicture.explanation]
    package static let undo = UndoRule.possible
    package static let mayChangeNothing = true
    package static let isPreparedForPreviews = true
    package static let hasBulkForm = false

    package let picture: Data?

    package init(picture: Data?) { self.picture = picture }

    package func subject(
        in context: OperationContext, _ transaction: some Transaction
    ) throws -> OrganizationSettings { try context.settingsToChange(transaction) }

    package func prepare(for subject: OrganizationSettings, in context: OperationContext) async throws -> BadgePicture {
        try await BadgePicture.drawn(picture, field: "picture")
    }

    package func blankPreparation(for subject: OrganizationSettings, in context: OperationContext) -> BadgePicture {
        .none
    }

    package func carryOut(
        on settings: OrganizationSettings, _ given: BadgePicture, in act: Act
    ) throws -> OrganizationRecord {
        let organization = settings.organization
        if organization.pictureID != given.id {
            let former = try organization.picture(in: act.transaction)
            try organization.put(picture: given.png, in: act.transaction)
            try act.record(
                .organizationChanged, on: organization, called: organization.name,
                given.png == nil ? "no picture" : "picture")
            act.undo(by: SetPicture(picture: former))
        }
        return try OrganizationRecord(organization, at: act.now, in: act.transaction)
    }
}
