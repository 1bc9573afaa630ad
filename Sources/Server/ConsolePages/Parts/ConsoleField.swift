import ServerPages

/// A labelled input: label above, hint below, then what is wrong with it.
package struct ConsoleField: Sendable {
    package enum Kind: Sendable {
        case text
        /// Text that keyboards and spell checkers must not change, such as a user name.
        case verbatim
        case email
        case number
        case date
        case search
        case lines
        case file(accept: String)
        /// One file or several.
        /// - Parameters:
        ///   - bytesMax: how large they may be together.
        ///   - excess: says that they are larger.
        case files(accept: String, bytesMax: Int, excess: Sentence)
        /// One of several, from a list.
        case choice([Option])
        /// One of a few, each with a line that explains it.
        case cards([Option])
        /// Any of several.
        case boxes([Option])
    }

    /// One of the values that can be chosen.
    package struct Option: Sendable {
        let value: String
        let label: Sentence
        let explanation: Sentence?
        /// The colour that is chosen with it.
        let tone: Tone?

        package init(_ value: String, _ label: Sentence, _ explanation: Sentence? = nil, tone: Tone? = nil) {
            self.tone = tone
            self.value = value
            self.label = label
            self.explanation = explanation
        }
    }

    /// The name in the form, and the id in the document.
    let name: String
    let kind: Kind
    let label: Sentence
    /// What was typed or chosen before; several for boxes.
    let values: [String]
    let hint: Sentence?
    let problem: Sentence?
    let isRequired: Bool

    package init(
        _ name: String, _ kind: Kind = .text, _ label: Sentence, value: String = "", values: [String] = [],
        hint: Sentence? = nil, problem: Sentence? = nil, isRequired: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.label = label
        self.values = values.isEmpty ? [value] : values
        self.hint = hint
        self.problem = problem
        self.isRequired = isRequired
    }

    var content: Content {
        var content: Content = [
            "inputName": .text(name), "inputLabel": .sentence(label), "inputValue": .text(values.first ?? ""),
            "inputHint": .sentence(ifAny: hint), "inputProblem": .sentence(ifAny: problem),
            "isRequired": .flag(isRequired), "inputType": .absent, "isVerbatim": .absent, "isLines": .absent,
            "isChoice": .absent, "isCards": .absent, "isBoxes": .absent, "options": .list([]), "accept": .absent,
            "describedBy": .text(ifAny: describedBy), "isMultiple": .absent, "bytesMax": .absent,
            "excess": .absent,
        ]
        switch kind {
        case .text: content["inputType"] = .text("text")
        case .verbatim:
            content["inputType"] = .text("text")
            content["isVerbatim"] = .flag(true)
        case .email:
            content["inputType"] = .text("email")
            content["isVerbatim"] = .flag(true)
        case .number: content["inputType"] = .text("number")
        case .date: content["inputType"] = .text("date")
        case .search: content["inputType"] = .text("search")
        case .file(let accept):
            content["inputType"] = .text("file")
            content["accept"] = .text(accept)
        case .files(let accept, let bytesMax, let excess):
            content["inputType"] = .text("file")
            content["accept"] = .text(accept)
            content["isMultiple"] = .flag(true)
            content["bytesMax"] = .text("\(bytesMax)")
            content["excess"] = .sentence(excess)
        case .lines: content["isLines"] = .flag(true)
        case .choice(let options):
            content["isChoice"] = .flag(true)
            content["options"] = .list(options.map(content(of:)))
        case .cards(let options):
            content["isCards"] = .flag(true)
            content["options"] = .list(options.map(content(of:)))
        case .boxes(let options):
            content["isBoxes"] = .flag(true)
            content["options"] = .list(options.map(content(of:)))
        }
        return content
    }

    private func content(of option: Option) -> Content {
        [
            "optionValue": .text(option.value), "optionLabel": .sentence(option.label),
            "optionText": .sentence(ifAny: option.explanation), "isChosen": .flag(values.contains(option.value)),
            "optionTone": .text(ifAny: option.tone.map { "\($0.number)" }),
        ]
    }

    private var describedBy: String? {
        let ids = [problem.map { _ in "\(name)-problem" }, hint.map { _ in "\(name)-hint" }].compactMap(\.self)
        return ids.isEmpty ? nil : ids.joined(separator: " ")
    }
}
