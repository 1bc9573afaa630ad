/// Sends the answer to the app with a form (OAuth 2.0 Form Post Response Mode §2): the script sends it at once, and
/// without scripts the Continue button does. The form goes to the app, so it carries no CSRF token.
package struct FormPostPage: Page {
    package let appName: AppName
    /// `action` is the redirect URI, `hiddenFields` are the response parameters.
    package let response: Form

    package init(appName: AppName, response: Form) {
        self.appName = appName
        self.response = response
    }

    package var view: View {
        View(
            "form-post",
            heading: Sentence("formPost.heading"),
            content: ["app": .text(appName), "response": .group(response.content)]
        )
    }
}
