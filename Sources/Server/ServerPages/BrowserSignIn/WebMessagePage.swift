/// Ends a sign-in in a window of its own: a script hands the answer to the window of the app that opened this one, and
/// the app's script closes this one. Answers the response mode `web_message`.
///
/// Only a script can have opened the window. Without scripts the page says that it can be closed.
package struct WebMessagePage: Page {
    package let appName: AppName
    /// The only origin that may read the message, for example "https://quizzler.example": never `*`.
    package let targetOrigin: String
    /// The JSON text that is posted, unchanged.
    package let message: String

    package init(appName: AppName, targetOrigin: String, message: String) {
        self.appName = appName
        self.targetOrigin = targetOrigin
        self.message = message
    }

    package var view: View {
        View(
            "web-message",
            heading: Sentence("webMessage.heading"),
            content: ["app": .text(appName), "targetOrigin": .text(targetOrigin), "message": .text(message)]
        )
    }
}
