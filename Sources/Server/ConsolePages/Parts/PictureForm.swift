import Administration
import ServerPages

/// The parts of a page on which a picture is chosen for a badge.
package enum PictureForm {
    /// How large a form with a picture may be, in bytes. The limit for the picture is lower, so that a picture which is
    /// somewhat too large is still read, and refused with that reason.
    package static let formBytesMax = 8 << 20

    /// - Parameters:
    ///   - path: where the form is sent. With `/remove` behind it, the picture is taken away.
    ///   - version: the version of the record that the person has seen.
    ///   - hasPicture: whether there is one already.
    static func parts(
        at path: String, version: String, hasPicture: Bool, cancel: String, failure: OperationFailure?
    ) -> [Part] {
        Part.refusals(failure) + [
            .form(
                ConsoleForm(
                    .init(path, [("version", version)], hasFiles: true),
                    [
                        ConsoleField(
                            "picture", .file(accept: "image/png,.png"), Sentence("consolePicture.file"),
                            hint: Sentence("consolePicture.fileHint"), isRequired: true)
                    ], button: Sentence("console.save"), cancel: .cancel(to: cancel)))
        ]
            + (hasPicture
                ? [
                    .facts([
                        Fact(
                            Sentence("consolePicture.present"),
                            .button(
                                Sentence("consolePicture.remove"), .init("\(path)/remove", [("version", version)])))
                    ])
                ] : [])
    }
}

/// Where an organization gets the picture of its badge.
package struct PicturePage: ConsolePage {
    package static let path = "\(ConsoleSection.settings.path)/picture"
    package let desk: Desk
    package let organization: OrganizationRecord
    package let failure: OperationFailure?

    package init(desk: Desk, organization: OrganizationRecord, failure: OperationFailure? = nil) {
        self.desk = desk
        self.organization = organization
        self.failure = failure
    }

    package var section: ConsoleSection { .settings }
    package var heading: Sentence { Sentence("consolePicture.heading") }
    package var lead: Sentence? { Sentence("consolePicture.lead") }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }
    package var badge: Badge? { desk.organization }
    package var parts: [Part] {
        PictureForm.parts(
            at: Self.path, version: organization.version, hasPicture: organization.pictureID != nil,
            cancel: section.path, failure: failure)
    }
}

/// Where an app gets the icon of its badge.
package struct AppIconPage: PortalPage {
    package let portal: Portal
    package let app: AppRecord
    package let failure: OperationFailure?

    package init(portal: Portal, app: AppRecord, failure: OperationFailure? = nil) {
        self.portal = portal
        self.app = app
        self.failure = failure
    }

    private var path: String { portal.path(of: app) }

    package var section: PortalSection? { .apps }
    package var heading: Sentence { Sentence("consolePicture.iconHeading", ["app": .text(app.name)]) }
    package var lead: Sentence? { Sentence("consolePicture.iconLead") }
    package var parent: ConsoleLink? { ConsoleLink(.named(app.name), to: path) }
    package var badge: Badge? { app.badge }
    package var parts: [Part] {
        PictureForm.parts(
            at: "\(path)/icon", version: app.version, hasPicture: app.iconID != nil, cancel: path, failure: failure)
    }
}
