/// Where a page's form goes and what it carries unseen. The CSRF token is added to every form by itself.
package struct Form: Sendable {
    /// Path, or for `FormPostPage` the redirect URI.
    package let action: String
    package let hiddenFields: [HiddenField]

    package init(action: String, hiddenFields: [HiddenField] = []) {
        self.action = action
        self.hiddenFields = hiddenFields
    }

    var content: Content {
        [
            "action": .text(action),
            "hiddenFields": .list(hiddenFields.map { ["fieldName": .text($0.name), "fieldValue": .text($0.value)] }),
        ]
    }
}

package struct HiddenField: Sendable {
    package let name: String
    package let value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
