import Administration
import Directory
import Foundation
import ServerPages

/// The devices that sign their people in.
package struct DevicesPage: ConsolePage {
    package let desk: Desk
    package let found: ListDevices.Answer
    /// Whose devices are shown; nil for everybody's.
    package let person: String?
    package let after: Int64?
    package let failure: OperationFailure?

    package init(
        desk: Desk, found: ListDevices.Answer, person: String?, after: Int64?, failure: OperationFailure? = nil
    ) {
        self.desk = desk
        self.found = found
        self.person = person
        self.after = after
        self.failure = failure
    }

    package var section: ConsoleSection { .devices }
    package var heading: Sentence { section.label }
    package var lead: Sentence? { Sentence("consoleDevices.lead") }
    package var actions: [ConsoleLink] {
        [ConsoleLink(Sentence("consoleDevices.code"), to: "\(section.path)/code")]
            + (desk.isSandbox ? [] : [ConsoleLink(Sentence("consoleDevices.profile"), to: SignOnProfilePage.path)])
    }

    package var parts: [Part] {
        Part.refusals(failure) + [
            .form(
                ConsoleForm(
                    .init(section.path, isQuery: true),
                    [ConsoleField("person", .search, Sentence("consoleDevices.person"), value: person ?? "")],
                    button: Sentence("consolePeople.show"), isLine: true)),
            .table(
                Table(
                    heading,
                    [
                        .init(Sentence("consoleDevices.name")), .init(Sentence("consoleDevices.whose")),
                        .init(Sentence("consolePeople.userName")), .init(Sentence("consoleDevices.registered")),
                        .init(Sentence("consoleDevices.used")),
                    ],
                    found.devices.map { device in
                        Table.Row([
                            .link(device.name, to: DeviceWords.path(of: device)),
                            .text(device.fullName), .address(device.userName), .day(device.registeredAt),
                            device.usedAt.map(Cell.day) ?? .sentence(Sentence("consoleDevices.never")),
                        ])
                    },
                    empty: Sentence(person == nil ? "consoleDevices.none" : "consoleDevices.noneOfPerson"),
                    emptyLink: person == nil
                        ? ConsoleLink(Sentence("consoleDevices.code"), to: "\(section.path)/code")
                        : ConsoleLink(Sentence("consoleDevices.showAll"), to: section.path),
                    next: found.next.map { "\(section.path)?after=\($0)" }, first: after.map { _ in section.path })),
        ]
    }
}

/// One device.
package struct DevicePage: ConsolePage {
    package let desk: Desk
    package let device: DeviceRecord

    package init(desk: Desk, device: DeviceRecord) {
        self.desk = desk
        self.device = device
    }

    package var section: ConsoleSection { .devices }
    package var heading: Sentence { .named(device.name) }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }
    package var actions: [ConsoleLink] {
        [ConsoleLink(Sentence("consoleDevices.remove"), to: "\(DeviceWords.path(of: device))/remove")]
    }

    package var parts: [Part] {
        [
            .facts([
                Fact(
                    Sentence("consoleDevices.whose"),
                    desk.may(.readPeople)
                        ? .link(device.fullName, to: "\(ConsoleSection.people.path)/\(device.userName)")
                        : .text(device.fullName)),
                Fact(Sentence("consolePeople.userName"), .address(device.userName)),
                Fact(Sentence("consoleDevices.registered"), .day(device.registeredAt)),
                Fact(
                    Sentence("consoleDevices.used"),
                    device.usedAt.map(Cell.day) ?? .sentence(Sentence("consoleDevices.never"))),
                Fact(Sentence("consoleDevices.key"), .verbatim(device.thumbprint)),
            ]),
            .heading(Sentence("consoleDevices.facts"), Sentence("consoleDevices.factsLead")),
            .table(
                Table(
                    Sentence("consoleDevices.facts"),
                    [.init(Sentence("consoleDevices.fact")), .init(Sentence("consoleImports.value"))],
                    device.facts.sorted { $0.key < $1.key }.map { name, value in
                        Table.Row([.text(name), .verbatim("\(value)")])
                    }, empty: Sentence("consoleDevices.noFacts"))),
        ]
    }
}

/// Asks for whom a code is made, and shows it once.
package struct DeviceCodePage: ConsolePage {
    package let desk: Desk
    package let person: String
    package let made: IssueDeviceCode.Answer?
    package let failure: OperationFailure?

    package init(
        desk: Desk, person: String = "", made: IssueDeviceCode.Answer? = nil, failure: OperationFailure? = nil
    ) {
        self.desk = desk
        self.person = person
        self.made = made
        self.failure = failure
    }

    package var section: ConsoleSection { .devices }
    package var heading: Sentence {
        made.map { Sentence("consoleDevices.codeFor", ["name": .text($0.name)]) }
            ?? Sentence("consoleDevices.codeHeading")
    }
    package var lead: Sentence? {
        Sentence(made == nil ? "consoleDevices.codeLead" : "consoleDevices.codeOnce")
    }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }

    package var parts: [Part] {
        if let made {
            return [
                .code(made.code),
                .text(Sentence("consoleDevices.codeUntil", ["time": .sentence(ActivityWords.time(made.validUntil))])),
                .links([ConsoleLink(Sentence("consoleDevices.another"), to: "\(section.path)/code")]),
            ]
        }
        return Part.refusals(failure) + [
            .form(
                ConsoleForm(
                    .init("\(section.path)/code"),
                    [
                        ConsoleField(
                            "person", .verbatim, Sentence("consoleDevices.person"), value: person, isRequired: true)
                    ], button: Sentence("consoleDevices.make")))
        ]
    }
}

/// The profile with which devices of the organization sign their people in.
package struct SignOnProfilePage: ConsolePage {
    package let desk: Desk
    /// Who signs it, nil if nobody does; or why the server cannot make one.
    package let made: Result<SignOnProfile.Signature?, SignOnProfile.Problem>

    package init(desk: Desk, _ made: Result<SignOnProfile.Signature?, SignOnProfile.Problem>) {
        self.desk = desk
        self.made = made
    }

    package static let path = "\(ConsoleSection.devices.path)/profile"

    package var section: ConsoleSection { .devices }
    package var heading: Sentence { Sentence("consoleDevices.profileHeading") }
    package var lead: Sentence? { Sentence("consoleDevices.profileLead") }
    package var parent: ConsoleLink? { ConsoleLink(section.label, to: section.path) }
    package var actions: [ConsoleLink] {
        switch made {
        case .success: [ConsoleLink(Sentence("consoleDevices.profileDownload"), to: "\(Self.path)/file")]
        case .failure: []
        }
    }

    package var parts: [Part] {
        switch made {
        case .failure(let problem):
            [.refusal(Sentence("consoleDevices.profileProblem"), detail: problem.reason)]
        case .success(let signature):
            install
                + (signature.map { signature in
                    [
                        .facts([
                            Fact(Sentence("consoleDevices.profileSigner"), .text(signature.signer)),
                            Fact(Sentence("consoleDevices.profileValidUntil"), .day(signature.validUntil)),
                        ]),
                        .text(Sentence("consoleDevices.profileSigned")),
                    ]
                } ?? [.text(Sentence("consoleDevices.profileUnsigned"))])
        }
    }

    private var install: [Part] {
        [
            .heading(Sentence("consoleDevices.profileInstall"), Sentence("consoleDevices.profileInstallLead")),
            .code("sudo lanyard-sso profile install organization.mobileconfig"),
        ]
    }
}

enum DeviceWords {
    static func path(of device: DeviceRecord) -> String { "\(ConsoleSection.devices.path)/\(device.id)" }
}
