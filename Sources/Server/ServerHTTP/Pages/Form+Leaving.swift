import ServerPages

extension Form {
    /// Returns to the app with a refusal.
    static func deny(at path: String) -> Form {
        Form(action: path, hiddenFields: [HiddenField(name: "decision", value: "deny")])
    }

    static func signIn(then path: String) -> Form {
        Form(action: "/sign-in", hiddenFields: [HiddenField(name: "continue", value: path)])
    }

    static func signOut(then path: String) -> Form {
        Form(action: "/sign-out", hiddenFields: [HiddenField(name: "continue", value: path)])
    }
}
