import ServerPages

/// A form of the console.
package struct ConsoleForm: Sendable {
    /// Where a form is sent, and what goes along unseen.
    package struct Target: Sendable {
        let action: String
        let hidden: [HiddenField]
        /// Whether it only asks, so that its answer has an address that can be sent to others.
        let isQuery: Bool
        /// Whether files are sent.
        let hasFiles: Bool

        package init(_ action: String, _ hidden: [(String, String)] = [], isQuery: Bool = false, hasFiles: Bool = false)
        {
            self.action = action
            self.hidden = hidden.map { HiddenField(name: $0.0, value: $0.1) }
            self.isQuery = isQuery
            self.hasFiles = hasFiles
        }

        var content: Content {
            Form(action: action, hiddenFields: hidden).content.merging([
                "isQuery": .flag(isQuery), "hasFiles": .flag(hasFiles),
            ]) { own, _ in own }
        }
    }

    let target: Target
    let fields: [ConsoleField]
    let button: Sentence
    /// Whether nothing takes it back.
    let isDangerous: Bool
    /// Whether the fields stand in one line, as those do that narrow a list.
    let isLine: Bool
    /// The way out.
    let cancel: ConsoleLink?

    package init(
        _ target: Target, _ fields: [ConsoleField], button: Sentence, isDangerous: Bool = false, isLine: Bool = false,
        cancel: ConsoleLink? = nil
    ) {
        self.target = target
        self.fields = fields
        self.button = button
        self.isDangerous = isDangerous
        self.isLine = isLine
        self.cancel = cancel
    }

    var content: Content {
        target.content.merging([
            "fields": .list(fields.map(\.content)), "formButton": .sentence(button),
            "isDangerous": .flag(isDangerous), "isLine": .flag(isLine), "cancelLink": .group(ifAny: cancel?.content),
        ]) { own, _ in own }
    }
}
