/// The action and hidden fields of a page's form. The CSRF token is added automatically.
package struct Form: Sendable {
    /// A path, or for `FormPostPage` the redirect URI.
    package let action: String
    package let hiddenFields: [HiddenField]

    package init(action: String, hiddenFields: [HiddenField] = []) {
        self.action = action
        self.hiddenFields = hiddenFields
    }

    package var content: Content {
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
