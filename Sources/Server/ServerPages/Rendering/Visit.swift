/// What every page needs to know of the request that it answers.
package struct Visit: Sendable {
    /// Path and query at which a GET shows this page again, on this server: where the language switch returns to.
    package let currentPath: String
    /// The token that every form carries as `csrf_token`.
    package let csrfToken: String
    /// What the page takes over from how it was shown before; nil: nothing.
    package let carried: Carried?

    package init(currentPath: String, csrfToken: String, carried: Carried? = nil) {
        self.currentPath = currentPath
        self.csrfToken = csrfToken
        self.carried = carried
    }
}
