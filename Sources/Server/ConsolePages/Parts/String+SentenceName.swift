extension String {
    /// A word of the server, such as `person.role.add` or `passwords-end`, as part of the name of a sentence: catalogues have
    /// letters, digits and underscores there.
    var sentenceName: String { replacing("-", with: "_").replacing(".", with: "__") }
}
