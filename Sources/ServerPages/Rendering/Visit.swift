/// What every page needs to know of the request that it answers.
package struct Visit: Sendable {
    /// Path and query at which a GET shows this page again, on this server: where the language switch returns to.
    package let currentPath: String
    /// The token that every form carries as `csrf_token`.
    package let csrfToken: String

    package init(currentPath: String, csrfToken: String) {
        self.currentPath = currentPath
        self.csrfToken = csrfToken
    }
}
