/// Answers the app's page that opened this one as a popup: the script sends it a message, and the app's script closes
/// the window. A popup is opened by a script, so there is no way without one.
package struct WebMessagePage: Page {
    package let appName: String
    /// The text of the message.
    package let message: String
    /// The only origin that may read it.
    package let targetOrigin: String

    package init(appName: String, message: String, targetOrigin: String) {
        self.appName = appName
        self.message = message
        self.targetOrigin = targetOrigin
    }

    package var view: View {
        View(
            "web-message",
            heading: Sentence("formPost.heading"),
            content: [
                "app": .text(appName),
                "message": .text(message),
                "targetOrigin": .text(targetOrigin),
            ]
        )
    }
}
