import Authorization
import Directory
import ServerPages

extension Badge {
    init(_ organization: Organization) {
        self.init(
            name: organization.name, id: organization.publicID, tone: organization.colour.map(Tone.init),
            picture: organization.pictureID, termsURL: organization.rules.termsURL)
    }
}

extension Tone {
    init(_ colour: Organization.Colour) {
        self =
            switch colour {
            case .rust: .rust
            case .ochre: .ochre
            case .olive: .olive
            case .green: .green
            case .slate: .slate
            case .blue: .blue
            case .violet: .violet
            case .plum: .plum
            }
    }
}

extension Contact {
    init(_ contact: Organization.Contact) {
        self.init(name: contact.name, email: contact.email, role: AccountRole(contact.role))
    }
}
