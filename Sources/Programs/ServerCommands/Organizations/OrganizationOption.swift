import Administration
import ArgumentParser
import CommandOutput
import Directory
import Storage

/// `--org` or `--organization`, for commands that work on one organization.
struct OrganizationOption: ParsableArguments {
    @Option(
        name: [.customLong("org"), .customLong("organization")],
        help: "The organization, by name or id. May be left out when there is only one.")
    var organization: String?

    var reference: OrganizationReference { OrganizationReference(organization) }

    var selector: OrganizationSelector { OrganizationSelector(text: organization) }
}

/// Finds an organization by what was typed for it.
struct OrganizationSelector: Sendable {
    /// A UUID or an exact name; nil selects the only organization there is.
    let text: String?

    /// - Throws: ``Failure`` if there is no such organization, or several.
    func find(in transaction: some Transaction) throws -> Organization {
        let all = try Organization.list(in: transaction)
        guard let text else {
            let own = all.filter { !$0.isSandbox }
            return try only(of: own.count == 1 ? own : own.filter { $0.closing?.erasedAt == nil })
        }
        if let found = try Organization.find(publicID: text, in: transaction) { return found }
        let synthetic = try Organization.synthetic(in: transaction).map { [$0] } ?? []
        let named = (all + synthetic).filter { $0.name == text }
        switch named.count {
        case 1: return named[0]
        case 0: throw Failure("There is no organization “\(text)”. \(Self.choice(of: all))")
        default:
            throw Failure(
                "\(named.count) organizations are called “\(text)”; name one by its id. \(Self.choice(of: named))")
        }
    }

    /// As ``find(in:)``, but refuses the test school, which is the same in all installations and must not be changed.
    func findToChange(in transaction: some Transaction) throws -> Organization {
        let organization = try find(in: transaction)
        guard !organization.isSynthetic else {
            throw Failure(
                "\(organization.name) belongs to Lanyard itself and is the same on every server. Choose another.")
        }
        return organization
    }

    private func only(of all: [Organization]) throws -> Organization {
        switch all.count {
        case 1: return all[0]
        case 0: throw Failure("There is no organization yet. Make one with `lanyard init --name …`.")
        default:
            throw Failure("There are \(all.count) organizations; say which with --org. \(Self.choice(of: all))")
        }
    }

    /// What is thrown in place of an operation's error: where it does not know which organization is meant, this says
    /// which there are.
    static func explain(_ error: OperationError, in transaction: some Transaction) throws -> any Error {
        switch error {
        case .unnamedOrganization(let count) where count > 1:
            Failure(
                "There are \(count) organizations; say which with --org. \(choice(of: try Organization.listOwn(in: transaction)))"
            )
        case .notFound(.organization, let text, _):
            Failure("There is no organization “\(text)”. \(choice(of: try Organization.list(in: transaction)))")
        default: error
        }
    }

    private static func choice(of organizations: [Organization]) -> String {
        guard !organizations.isEmpty else { return "There is none yet: `lanyard init --name …` makes one." }
        return (organizations.count == 1 ? "There is:\n\n" : "There are:\n\n")
            + Table.text(["ID", "NAME"], organizations.map { [$0.publicID, $0.name] })
    }
}
