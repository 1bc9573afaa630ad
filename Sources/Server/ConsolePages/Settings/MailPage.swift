import Administration
import ServerPages

/// What an organization can know of the mail that the server sends to its people.
package struct MailPage: ConsolePage {
    package let desk: Desk
    package let mail: MailRecord

    package init(desk: Desk, mail: MailRecord) {
        self.desk = desk
        self.mail = mail
    }

    package static let path = "\(ConsoleSection.settings.path)/mail"

    package var section: ConsoleSection { .settings }
    package var heading: Sentence { Sentence("consoleMail.heading") }
    package var lead: Sentence? { Sentence("consoleMail.lead") }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }

    package var parts: [Part] {
        guard let sender = mail.sender else { return [.message(.warning, Sentence("consoleMail.none"))] }
        var parts: [Part] = [
            .facts(
                [Fact(Sentence("consoleMail.sender"), .address(sender))]
                    + (mail.senderName.map { [Fact(Sentence("consoleMail.senderName"), .text($0))] } ?? [])
                    + [
                        Fact(Sentence("consoleMail.waiting"), .count(mail.waiting)),
                        Fact(Sentence("consoleMail.unreached"), .count(mail.unreached)),
                    ]),
            .text(Sentence("consoleMail.server")),
        ]
        var tasks: [ToDo] = []
        if mail.unreached > 0 {
            tasks.append(
                ToDo(
                    .warning, Sentence("consoleMail.someUnreached", ["count": .count(mail.unreached)]),
                    Sentence("consoleMail.someUnreachedText"),
                    link: ConsoleLink(ConsoleSection.home.label, to: ConsoleSection.home.path)))
        }
        if mail.unaddressed > 0 {
            tasks.append(
                ToDo(
                    .warning, Sentence("consoleMail.unaddressed", ["count": .count(mail.unaddressed)]),
                    Sentence("consoleMail.unaddressedText"),
                    link: ConsoleLink(ConsoleSection.people.label, to: ConsoleSection.people.path)))
        }
        if !tasks.isEmpty { parts.append(.tasks(tasks)) }
        return parts
            + [.links([ConsoleLink(SettingsTopic.language.heading, to: SettingsTopic.language.path)])]
    }
}
