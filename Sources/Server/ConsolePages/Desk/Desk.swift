import Administration
import ServerPages

/// What surrounds every page of the console: the organization, who works here, and where they can go.
package struct Desk: Sendable {
    package let organization: Badge
    /// Whether it is a school: classes, terms and grades are absent elsewhere.
    package let isSchool: Bool
    package let person: SignedInPerson
    /// What the person may do at some place of the organization.
    package let privileges: Set<Privilege>
    /// What was just done, shown once above the page.
    package let notice: Notice?
    /// The path of the page, to which forms of the frame return.
    package let path: String

    /// What was just done.
    package struct Notice: Sendable {
        package let sentence: Sentence
        /// Takes it back; nil if nothing does.
        package let undo: Form?

        package init(_ sentence: Sentence, undo: Form? = nil) {
            self.sentence = sentence
            self.undo = undo
        }
    }

    package init(
        organization: Badge, isSchool: Bool, person: SignedInPerson, privileges: Set<Privilege>,
        notice: Notice? = nil, path: String
    ) {
        self.organization = organization
        self.isSchool = isSchool
        self.person = person
        self.privileges = privileges
        self.notice = notice
        self.path = path
    }

    package func may(_ privilege: Privilege) -> Bool { privileges.contains(privilege) }

    var sections: [ConsoleSection] {
        ConsoleSection.allCases.filter {
            // Only schools have classes, and rosters that apps read.
            !$0.privileges.isDisjoint(with: privileges) && (isSchool || ![.classes, .apps].contains($0))
        }
    }

    func content(in section: ConsoleSection) -> Content {
        [
            "organizationName": .text(organization.name.shown),
            "organizationBadge": .group(organization.content),
            "personName": .text(person.name.shown),
            "personRole": .sentence(person.role.sentence),
            "personBadge": .group(person.badge.content),
            "sections": .list(
                sections.map { one in
                    [
                        "sectionPath": .text(one.path),
                        "sectionLabel": .sentence(one.label),
                        "sectionIcon": .text(one.icon),
                        "isCurrent": .flag(one == section),
                    ]
                }),
            "hasSearch": .flag(may(.readPeople)),
            "notice": .group(
                ifAny: notice.map { notice in
                    [
                        "noticeText": .sentence(notice.sentence),
                        "undo": .group(ifAny: notice.undo?.content),
                    ]
                }),
        ]
    }
}
