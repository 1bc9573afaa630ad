/// The session has ended.
package struct SignedOutPage: Page {
    package let signInPath: String

    package init(signInPath: String) {
        self.signInPath = signInPath
    }

    package var view: View {
        View("signed-out", heading: Sentence("signedOut.heading"), content: ["signInPath": .text(signInPath)])
    }
}
