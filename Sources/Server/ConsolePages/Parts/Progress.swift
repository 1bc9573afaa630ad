import ServerPages

/// How far something has come that takes long: a bar, and the same in words.
package struct Progress: Sendable {
    let text: Sentence
    let done: Int
    let total: Int

    /// - Parameter total: 0 if it is not known yet.
    package init(_ text: Sentence, done: Int, of total: Int) {
        self.text = text
        self.done = done
        self.total = total
    }

    var content: Content {
        [
            "progressText": .sentence(text), "progressDone": .text("\(done)"),
            "progressTotal": .text(ifAny: total > 0 ? "\(total)" : nil),
        ]
    }
}
