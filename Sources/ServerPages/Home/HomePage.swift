/// Who is signed in, and the way out. `signOut` posts without fields of its own.
package struct HomePage: Page {
    package let person: SignedInPerson
    /// Nil for a personal account.
    package let organizationName: String?
    package let signOut: Form

    package init(person: SignedInPerson, organizationName: String?, signOut: Form) {
        self.person = person
        self.organizationName = organizationName
        self.signOut = signOut
    }

    package var view: View {
        View(
            "home",
            heading: Sentence("home.heading"),
            content: [
                "person": .group(person.content),
                "organizationName": .text(ifAny: organizationName?.shown),
                "form": .group(signOut.content),
            ]
        )
    }
}
