/// What every page needs to know about the request.
package struct Visit: Sendable {
    /// Path and query at which a GET shows this page again, on this server: where the language switch returns to.
    package let currentPath: String
    /// The token that every form carries as `csrf_token`.
    package let csrfToken: String
    /// What the page keeps from before; nil for nothing.
    package let carried: Carried?

    package init(currentPath: String, csrfToken: String, carried: Carried? = nil) {
        self.currentPath = currentPath
        self.csrfToken = csrfToken
        self.carried = carried
    }
}
