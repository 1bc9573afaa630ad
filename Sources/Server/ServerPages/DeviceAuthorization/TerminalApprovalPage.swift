/// Asks whether a terminal may act as an administrator, or for teams of app developers, in this person's name. Posts `decision` = `continue` or `deny`.
///
/// Somebody else may have sent the code (RFC 8628 §5.4), and would get the data of a whole school. So Cancel is the
/// first button, as on ``DeviceApprovalPage``.
package struct TerminalApprovalPage: Page {
    /// A privilege that the terminal would get. The raw values are the names of privileges.
    package enum Right: String, CaseIterable, Sendable {
        case readPeople = "people.read"
        case managePeople = "people.manage"
        case erasePeople = "people.erase"
        case issuePasswords = "passwords.issue"
        case manageClasses = "classes.manage"
        case manageLocations = "locations.manage"
        case manageOrganization = "organization.manage"
        case importRoster = "roster.import"
        case manageSignInApps = "sign-in-apps.manage"
        case shareData = "data-sharing.manage"
        case readAudit = "audit.read"
        case manageDevices = "devices.manage"
        case manageAPIClients = "api-clients.manage"
        case joinTeams = "teams.join"
        case manageTeams = "teams.manage"
        case manageApps = "apps.manage"

        var sentence: Sentence { Sentence("right.\(self)") }
    }

    /// Nil for whoever manages teams of app developers, and no organization.
    package let organization: Badge?
    package let person: SignedInPerson
    /// The code as the terminal shows it.
    package let userCode: String
    /// How the terminal calls itself; nil if it does not say.
    package let program: String?
    /// The network address from which it asks; nil if that is not known.
    package let address: String?
    package let rights: [Right]
    package let decision: Form

    package init(
        organization: Badge?, person: SignedInPerson, userCode: String, program: String?, address: String?,
        rights: [Right], decision: Form
    ) {
        self.organization = organization
        self.person = person
        self.userCode = userCode
        self.program = program
        self.address = address
        self.rights = rights
        self.decision = decision
    }

    package var view: View {
        var content = person.content
        content["organization"] = .text(ifAny: organization?.name)
        content["organizationBadge"] = .group(ifAny: organization?.content)
        content["person"] = .group(person.content)
        content["userCode"] = .text(userCode)
        content["program"] = .text(ifAny: program)
        content["address"] = .text(ifAny: address)
        content["rights"] = .list(rights.map { ["right": .sentence($0.sentence)] })
        content["decision"] = .group(decision.content)
        return View(
            "terminal-approval",
            heading: Sentence(organization == nil ? "terminal.personalHeading" : "terminal.heading"), content: content,
            owner: organization)
    }
}

/// The terminal has its answer, or gets none.
package struct TerminalDonePage: Page {
    package enum Outcome: String, CaseIterable, Sendable {
        case allowed, denied
        /// It was decided before, or its time is over.
        case over
        /// The person administrates nothing.
        case nothing

        var heading: Sentence { Sentence("terminal.\(rawValue)") }
        var explanation: Sentence { Sentence("terminal.\(rawValue)Explanation") }
    }

    package let outcome: Outcome

    package init(_ outcome: Outcome) { self.outcome = outcome }

    package var view: View {
        View(
            "done", heading: outcome.heading,
            content: ["isGood": .flag(outcome == .allowed), "explanation": .sentence(outcome.explanation)])
    }
}
