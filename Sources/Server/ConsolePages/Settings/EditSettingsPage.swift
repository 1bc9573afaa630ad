import Administration
import Directory
import ServerPages

/// The form for the settings of one topic.
package struct EditSettingsPage: ConsolePage {
    package let desk: Desk
    package let topic: SettingsTopic
    package let organization: OrganizationRecord
    /// What was typed and chosen; nil for what is in force.
    package let typed: [String: [String]]?
    package let failure: OperationFailure?

    package init(
        desk: Desk, topic: SettingsTopic, organization: OrganizationRecord, typed: [String: [String]]? = nil,
        failure: OperationFailure? = nil
    ) {
        self.desk = desk
        self.topic = topic
        self.organization = organization
        self.typed = typed
        self.failure = failure
    }

    package var section: ConsoleSection { .settings }
    package var heading: Sentence { topic.heading }
    package var lead: Sentence? { topic.lead }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }

    package var parts: [Part] {
        Part.refusals(failure) + (topic == .userNames ? [.facts(formats)] : []) + [
            .form(
                ConsoleForm(
                    .init(topic.path, [("version", organization.version)]), topic.inputs.map(field),
                    button: Sentence("console.save"), cancel: ConsoleLink(Sentence("console.cancel"), to: section.path))
            )
        ]
    }

    /// What a format of user names is made of.
    private var formats: [Fact] {
        let blocks = UserNameFormat.Block.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
        return [
            Fact(Sentence("consoleSettings.example"), .verbatim("{first_name}.{last_name}@maple.example")),
            Fact(Sentence("consoleSettings.blocks"), .verbatim(blocks)),
        ]
    }

    private func field(_ input: String) -> ConsoleField {
        let values = typed.map { $0[input] ?? [] } ?? organization.values(of: input)
        return ConsoleField(
            input, kind(of: input), SettingsTopic.label(input), value: values.first ?? "", values: values,
            hint: Self.hints.contains(input) ? Sentence("consoleSettings.\(input)Hint") : nil,
            isRequired: input == "name" || input == "userNameFormat")
    }

    private func kind(of input: String) -> ConsoleField.Kind {
        switch input {
        case "name": .text
        case "colour":
            .cards(
                [.init("", Sentence("consoleSettings.colour_none"))]
                    + Organization.Colour.allCases.map {
                        .init(
                            $0.rawValue, Sentence("consoleSettings.colour_\($0.rawValue)"),
                            tone: Tone(rawValue: $0.rawValue))
                    })
        case "asksEveryTime":
            .cards([
                .init("no", Sentence("consoleSettings.no"), Sentence("consoleSettings.asksOnce")),
                .init("yes", Sentence("consoleSettings.yes"), Sentence("consoleSettings.asksAlways")),
            ])
        case "factorHolders": .boxes(FactorRule.Holder.allCases.map { .init($0.rawValue, SettingsTopic.word($0)) })
        case "language": .choice(Language.allCases.map { .init($0.rawValue, SettingsTopic.word($0)) })
        case "factorGraceDays", "sessionHours", "idleMinutes", "removedPercent", "changedPercent", "renamedPercent",
            "replacedMax":
            .number
        default: .verbatim
        }
    }

    private static let hints = [
        "name", "userNameFormat", "factorHolders", "factorGraceDays", "removedPercent", "changedPercent",
        "renamedPercent", "sessionHours", "idleMinutes", "language", "termsURL",
        "replacedMax", "locationDomain", "locationTimeZone",
    ]

    static let sentences = hints.map { Sentence("consoleSettings.\($0)Hint") }
}
